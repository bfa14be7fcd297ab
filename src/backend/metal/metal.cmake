# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# The Metal backend on macOS, absent elsewhere; and, where there is a clang of version 14 to 19, the machine that
# executes the same kernels on a CPU. Sets metal_files and metal_frameworks for the library, and TW_METAL_CLANG.
set(metal_here ${CMAKE_CURRENT_LIST_DIR})

# The kernels' source text as one table, to be compiled on the user's machine.
file(GLOB metal_texts CONFIGURE_DEPENDS ${metal_here}/*.metal ${metal_here}/*.h ${metal_here}/effort/*.metal
     ${metal_here}/effort/*.h)
set(metal_rows "")
foreach(file IN LISTS metal_texts)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND metal_rows "    {\"${name}\", R\"metal(${text})metal\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
set(TW_METAL_SOURCES ${PROJECT_BINARY_DIR}/metal_sources.cpp)
file(CONFIGURE OUTPUT ${TW_METAL_SOURCES} @ONLY CONTENT [[
#include "backend/metal/on_mac/sources.hpp"
namespace tw::metal {
const SourceFile source_files[] = {
@metal_rows@    {nullptr, nullptr}};
}
]])
set(TW_METAL_SOURCES ${TW_METAL_SOURCES} PARENT_SCOPE)

set(metal_files ${metal_here}/ladder.cpp ${metal_here}/effort/products.cpp ${metal_here}/loaders.cpp
    ${metal_here}/on_linux/door.cpp)
set(metal_frameworks "")
if(APPLE)
  message(STATUS "Metal backend: built, its kernels are compiled on first use")
  list(APPEND metal_files ${metal_here}/on_mac/device.cpp ${metal_here}/on_mac/mps.cpp ${metal_here}/on_mac/sources.cpp
    ${metal_here}/on_mac/shared_memory.cpp ${metal_here}/on_mac/backend.cpp ${metal_here}/on_mac/roofs.cpp
    ${TW_METAL_SOURCES})
  set(metal_frameworks "-framework Metal" "-framework Foundation" objc)
else()
  list(APPEND metal_files ${metal_here}/absent.cpp)
endif()

set(TW_METAL_CLANG "")
if(NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES
    "x86_64|AMD64|aarch64")
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
