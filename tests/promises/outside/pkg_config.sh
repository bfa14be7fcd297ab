#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# pkg_config.sh PREFIX VERSION FOLDER COMPILER: builds program.cpp as a Makefile would, with what pkg-config says. The
# installed tree is moved first: the .pc file finds its headers and libraries wherever it lies.
set -eu
command -v pkg-config >/dev/null || { echo "SKIP: there is no pkg-config on this machine"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$3" && mkdir -p "$3"
cp -R "$1" "$3/moved"
description=$(find "$3/moved" -name tilewright.pc)
libraries=$(dirname "$(dirname "$description")")
PKG_CONFIG_PATH=$(dirname "$description")
export PKG_CONFIG_PATH
[ "$(pkg-config --modversion tilewright)" = "$2" ]
# shellcheck disable=SC2046
"$4" -std=c++20 -DEXPECTED_VERSION="\"$2\"" "$here/program.cpp" -o "$3/program" $(pkg-config --cflags --libs tilewright)
LD_LIBRARY_PATH=$libraries DYLD_LIBRARY_PATH=$libraries "$3/program"
