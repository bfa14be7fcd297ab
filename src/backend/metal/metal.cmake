# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# The Metal backend on macOS, absent elsewhere; and, where there is a clang of version 14 to 19, the machine that executes
# the same kernels on a CPU. Sets metal_files for the library and TW_METAL_CLANG.
set(metal_files ${CMAKE_CURRENT_LIST_DIR}/ladder.cpp ${CMAKE_CURRENT_LIST_DIR}/absent.cpp ${CMAKE_CURRENT_LIST_DIR}/on_linux/door.cpp)
set(TW_METAL_CLANG "")
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|aarch64")
  find_program(metal_clang_found NAMES clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 clang)
  if(metal_clang_found)
    execute_process(COMMAND ${metal_clang_found} -dumpversion OUTPUT_VARIABLE metal_clang_version ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  if(metal_clang_found AND metal_clang_version VERSION_GREATER_EQUAL 14 AND metal_clang_version VERSION_LESS 20)
    set(TW_METAL_CLANG ${metal_clang_found})
    message(STATUS "Metal executor: built with clang ${metal_clang_version}")
  else()
    message(STATUS "Metal executor: absent, it needs a clang of version 14 to 19")
  endif()
endif()
