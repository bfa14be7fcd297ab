# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# What the memory sanitizer needs: strings and streams of the C++ library compiled with ours, the rest unreported.
set(known_to_memory_sanitizer "SHELL:-include ${CMAKE_CURRENT_LIST_DIR}/own_templates.hpp"
    -fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/memory_ignored.txt)

# own_code(target): how our own code is compiled. No -ffast-math, no -march=native; contraction is stated, not implied.
function(own_code target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Werror -ffp-contract=off)
  # g++ 12 takes "text" + string for overlapping copies when it inlines them (its bug 105651).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(TW_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TW_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${TW_SANITIZE})
    if(TW_SANITIZE MATCHES memory)
      target_compile_options(${target} PRIVATE ${known_to_memory_sanitizer})
    endif()
    # The address sanitizer lists every global of a program with its address. Where those are fixed when it is linked, a
    # process begins in two thirds of the time, and the tests begin a thousand.
    get_target_property(type ${target} TYPE)
    if(TW_SANITIZE MATCHES address AND type STREQUAL EXECUTABLE AND NOT APPLE)
      target_link_options(${target} PRIVATE -no-pie)
    endif()
  endif()
endfunction()

# Kernels that spread addresses widely put something where the thread sanitizer wants to be: its programs are started
# without that.
if(TW_SANITIZE MATCHES thread)
  find_program(setarch_found setarch)
  if(setarch_found)
    execute_process(COMMAND ${setarch_found} -R true RESULT_VARIABLE setarch_refuses OUTPUT_QUIET ERROR_QUIET)
    if(NOT setarch_refuses)
      set(CMAKE_CROSSCOMPILING_EMULATOR ${setarch_found} -R)
    endif()
  endif()
endif()

# instruction_set_flags(files...): a file that ends in _avx2.cpp, _avx512.cpp or _amx.cpp may use those instructions,
# and it alone; one in _vnni_avx512.cpp also VNNI and VBMI. Such files define nothing weak or inline that others could
# link (tools/check_weak holds them to it), and use no header that was compiled with other flags. They are optimised in
# every build: without, inline functions of the standard library would stay in them as weak copies. Sanitized builds are
# not shipped and bring weak symbols of their own; -O2 would take three times as long there as their -O1.
function(instruction_set_flags)
  set(avx2 -mavx2 -mfma -mf16c -fno-exceptions)  # kernels throw nothing, and unwinding would bring a weak symbol
  if(NOT TW_SANITIZE)
    list(PREPEND avx2 $<$<NOT:$<CONFIG:Release>>:-O2>)
  elseif(TW_SANITIZE MATCHES memory)
    list(APPEND avx2 -fno-sanitize=memory)   # its tests run portable kernels alone
  endif()
  # g++ 12 takes the "undefined" operand inside its own AVX-512 intrinsics for a variable of ours.
  set(avx512 ${avx2} $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -mavx512f -mavx512bw -mavx512dq -mavx512vl
      -mprfchw)
  # g++ up to 13 gives a frame that it watches for use after return 32 bytes' alignment where 64 are needed (its bug
  # 110027); 13's runtime asks for that unless told not to, and such kernels crash.
  if(TW_SANITIZE MATCHES address)
    list(APPEND avx512 $<$<CXX_COMPILER_ID:GNU>:--param=asan-use-after-return=0>)
  endif()
  # What this machine cannot run no sanitizer sees.
  if(TW_SANITIZE AND EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo runs_avx512 REGEX "^flags.* avx512vl" LIMIT_COUNT 1)
    if(NOT runs_avx512)
      list(APPEND avx512 -fno-sanitize=all)
    endif()
  endif()
  foreach(file IN LISTS ARGN)
    if(file MATCHES "_(avx2|avx512|amx)\\.cpp$")
      set_source_files_properties(${file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
    if(file MATCHES "_avx2\\.cpp$")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${avx2}")
    elseif(file MATCHES "_vnni_avx512\\.cpp$")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
          "${avx512};-mavx512vnni;-mavx512vbmi;-mavx512vbmi2")
    elseif(file MATCHES "_avx512\\.cpp$")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${avx512}")
    elseif(file MATCHES "_amx\\.cpp$")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
          "${avx512};-mavx512bf16;-mamx-tile;-mamx-bf16;-mamx-int8")
    endif()
  endforeach()
endfunction()

# The same for AArch64, where a file that ends in _dot_neon.cpp may use products of bytes.
function(instruction_set_flags_of_neon)
  foreach(file IN LISTS ARGN)
    if(file MATCHES "_dot_neon\\.cpp$")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-march=armv8.2-a+dotprod;-fno-exceptions")
    endif()
  endforeach()
endfunction()

# quickly_compiled(files...): code whose speed nobody waits for, and whose headers take a compiler long: the more so the
# more it optimises them.
function(quickly_compiled)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
endfunction()

# shared_headers(target headers...): what most files of a target include is read by the compiler once. A compiler cache
# does better, and would not know files again that were compiled so: with a launcher nothing is done.
function(shared_headers target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    list(TRANSFORM ARGN REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE headers)
    target_precompile_headers(${target} PRIVATE ${headers})
    without_lost_places(${target})
  endif()
endfunction()

# shared_headers_of(other targets...): those of another target, which is compiled with the same options.
function(shared_headers_of other)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    foreach(target IN LISTS ARGN)
      target_precompile_headers(${target} REUSE_FROM ${other})
      without_lost_places(${target})
    endforeach()
  endif()
endfunction()

# g++ 12 forgets of headers read so which lines are the C++ library's own, and warns of them when it optimises. These
# two warnings are left to clang, and to builds with a launcher.
function(without_lost_places target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
      $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
endfunction()

# compiled_together(target apart...): the files of each folder are compiled as one, which reads their headers and makes
# the templates that they share once. Those with options of their own stay alone, and those apart, in which a name means
# something else than in another file: each by itself, or those together whose names begin so. Not with a launcher,
# which knows single files again, and where only what was changed is compiled once more.
function(compiled_together target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  get_target_property(files ${target} SOURCES)
  list(FILTER files INCLUDE REGEX "\\.cpp$")
  foreach(file IN LISTS files)
    get_filename_component(path ${file} ABSOLUTE)
    file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR} ${path})
    get_filename_component(group "${path}" DIRECTORY)
    foreach(apart IN LISTS ARGN)
      if("/${path}" MATCHES "/${apart}")
        string(APPEND group "_${apart}")
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "all_${group}" group)
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
