# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# cmake --install: the headers, both libraries, tw, and what others find them by: find_package(tilewright) with the
# components shared and static, and pkg-config. All of it can be moved as a whole: no file knows where it lies.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)

install(DIRECTORY include/tilewright TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")

set_target_properties(tilewright_static PROPERTIES EXPORT_NAME static)
install(TARGETS tilewright EXPORT tilewright-shared)
install(TARGETS tilewright_static EXPORT tilewright-static)
foreach(kind shared static)
  install(EXPORT tilewright-${kind} NAMESPACE tilewright:: DESTINATION ${package_folder})
endforeach()
if(TARGET tilewright_cuda)
  # Opened on first use, found beside ours.
  install(TARGETS tilewright_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cuda)
endif()
if(TARGET tilewright_metal_check)
  install(TARGETS tilewright_metal_check LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT metal_check)   # likewise
endif()
if(TARGET tilewright_blas)
  install(TARGETS tilewright_blas tilewright_blas64)
  install(TARGETS complete_blas complete_blas64 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilewright NAMELINK_SKIP)
endif()
if(TARGET tw)
  install(TARGETS tw)
endif()

configure_package_config_file(cmake/tilewright-config.cmake.in tilewright-config.cmake INSTALL_DESTINATION
    ${package_folder})
write_basic_package_version_file(tilewright-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tilewright-config.cmake ${PROJECT_BINARY_DIR}/tilewright-config-version.cmake
        DESTINATION ${package_folder})

# From the folder of the .pc file back to the prefix: "../.." for lib/pkgconfig.
file(RELATIVE_PATH back_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/tilewright.pc.in tilewright.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tilewright.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES LICENSE THIRD-PARTY.md TYPE DOC)
install(DIRECTORY LICENSES TYPE DOC)

if(PROJECT_IS_TOP_LEVEL)
  include(Package)
endif()
