# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# The Python package: pip (through scikit-build-core) brings Python, nanobind and jaxlib's headers; see pyproject.toml.
# Everything of the component `python` lands in the package's own folder: the library, its CUDA half when it is built,
# tw, the module and the graph op.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
    OUTPUT_STRIP_TRAILING_WHITESPACE)
find_package(nanobind CONFIG REQUIRED)

file(GLOB python_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
nanobind_add_module(tilewright_native NB_STATIC STABLE_ABI NB_DOMAIN tilewright ${python_files})
set_target_properties(tilewright_native PROPERTIES OUTPUT_NAME _native)
target_link_libraries(tilewright_native PRIVATE ${CMAKE_DL_LIBS})  # of its own before glibc 2.34
nanobind_add_stub(tilewright_stub MODULE _native OUTPUT ${PROJECT_BINARY_DIR}/python/_native.pyi
                  PYTHON_PATH $<TARGET_FILE_DIR:tilewright_native> DEPENDS tilewright_native)

find_path(xla_ffi_headers xla/ffi/api/ffi.h HINTS ${Python_SITELIB}/jaxlib/include ${Python_SITEARCH}/jaxlib/include)
if(NOT xla_ffi_headers)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import jaxlib, os; print(os.path.dirname(jaxlib.__file__))"
                  OUTPUT_VARIABLE jaxlib_folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_path(xla_ffi_headers xla/ffi/api/ffi.h HINTS ${jaxlib_folder}/include)
endif()
if(xla_ffi_headers)
  file(GLOB graph_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/graph/*.cpp)
  add_library(tilewright_graph SHARED ${graph_files})
  own_code(tilewright_graph)
  target_include_directories(tilewright_graph SYSTEM PRIVATE ${xla_ffi_headers})
  message(STATUS "Graph op: built with the headers in ${xla_ffi_headers}")
else()
  message(STATUS "Graph op: absent, no headers of XLA's FFI (pip install jaxlib brings them)")
endif()

set(python_parts tilewright_native)
if(TARGET tilewright_graph)
  list(APPEND python_parts tilewright_graph)
endif()
foreach(part IN LISTS python_parts)
  target_compile_features(${part} PRIVATE cxx_std_20)
  target_include_directories(${part} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${part} PRIVATE tilewright)
  set_target_properties(${part} PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_RPATH "${PROJECT_BINARY_DIR}")
endforeach()

# One target that pip builds; tw only where its libraries are.
add_custom_target(tilewright_python DEPENDS tilewright ${python_parts} tilewright_stub)
install(TARGETS ${python_parts} LIBRARY DESTINATION tilewright COMPONENT python)
install(FILES ${PROJECT_BINARY_DIR}/python/_native.pyi DESTINATION tilewright COMPONENT python)
install(FILES $<TARGET_FILE:tilewright> RENAME $<TARGET_SONAME_FILE_NAME:tilewright> DESTINATION tilewright COMPONENT
    python)
foreach(program tilewright_cuda tw)
  if(TARGET ${program})
    add_dependencies(tilewright_python ${program})
    install(PROGRAMS $<TARGET_FILE:${program}> DESTINATION tilewright COMPONENT python)
  endif()
endforeach()
