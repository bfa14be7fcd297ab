# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# cpack -G DEB: one package with the library, the headers, tw and the BLAS door; without the CUDA library, which belongs
# to machines that have the driver. The complete BLAS joins Debian's alternatives at a priority that is chosen by hand
# alone.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)   # packing takes what was built; it does not build the tests
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tilewright)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_CONTACT "The tilewright authors <tilewright@users.noreply.invalid>")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.34), libstdc++6 (>= 12)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libopenblas0-pthread")

set(alternative libblas.so.3)
if(CMAKE_LIBRARY_ARCHITECTURE)
  string(APPEND alternative -${CMAKE_LIBRARY_ARCHITECTURE})
endif()
set(link /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libblas.so.3)
set(target /usr/${CMAKE_INSTALL_LIBDIR}/tilewright/libblas.so.3)
file(CONFIGURE OUTPUT postinst @ONLY CONTENT [[#!/bin/sh
set -e
ldconfig
if [ "$1" = configure ]; then update-alternatives --install @link@ @alternative@ @target@ 5; fi
]])
file(CONFIGURE OUTPUT prerm @ONLY CONTENT [[#!/bin/sh
set -e
if [ "$1" = remove ]; then update-alternatives --remove @alternative@ @target@; fi
]])
file(CHMOD ${PROJECT_BINARY_DIR}/postinst ${PROJECT_BINARY_DIR}/prerm
     PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/postinst;${PROJECT_BINARY_DIR}/prerm")
include(CPack)
