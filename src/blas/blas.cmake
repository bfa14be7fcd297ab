# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# The BLAS door: four libraries of the same files.
#   libtilewright_blas.so     gemm alone: for LD_PRELOAD, or to link before another BLAS
#   libtilewright_blas64.so   the same, and its plain names take 64-bit integers, as in Debian's libblas64
#   blas/libblas.so.3, blas64/libblas64.so.3   complete: everything else is forwarded to the BLAS underneath
file(GLOB blas_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
file(GLOB complete_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/complete/*.cpp)

# blas_objects(NAME BITS FILES...): plain names take integers of so many bits.
function(blas_objects name bits)
  add_library(${name} OBJECT ${ARGN})
  own_code(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE TW_BLAS_UNSUFFIXED=std::int${bits}_t)
  shared_headers_of(tilewright_objects ${name})
endfunction()

# blas_library(NAME MAP OBJECTS...): the objects and tilewright's own; MAP says what is exported.
function(blas_library name map)
  list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(${name} SHARED ${objects} $<TARGET_OBJECTS:tilewright_objects>)
  own_code(${name})
  target_link_libraries(${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${name} PRIVATE -Wl,--version-script=${map} -Wl,-z,nodelete -Wl,--as-needed)
  if(NOT TW_SANITIZE)   # clang's sanitizers are in the program alone
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${map} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

foreach(bits 32 64)
  set(suffix "")
  if(bits EQUAL 64)
    set(suffix 64)
  endif()
  blas_objects(blas_objects${suffix} ${bits} ${blas_files})
  blas_objects(complete_objects${suffix} ${bits} ${complete_files})
  blas_library(tilewright_blas${suffix} ${CMAKE_CURRENT_LIST_DIR}/gemm_only.map blas_objects${suffix})
  set_target_properties(tilewright_blas${suffix} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
  blas_library(complete_blas${suffix} ${CMAKE_CURRENT_LIST_DIR}/complete/complete.map blas_objects${suffix}
      complete_objects${suffix})
  set_target_properties(complete_blas${suffix} PROPERTIES
    OUTPUT_NAME blas${suffix} SOVERSION 3 LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/blas${suffix})
endforeach()
