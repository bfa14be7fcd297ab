#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# check.sh BUILD: makes the .deb, and uses what is in it from a folder of its own: nothing is installed.
set -euo pipefail
build=$1
examples=$(cd "$(dirname "$0")/../../../examples" && pwd)
cd "$build"
rm -rf package
cpack -G DEB >/dev/null
set -- package/*.deb
[ $# = 1 ] || { echo "expected one package, and $# came: $*"; exit 1; }
deb=$1

contents=$(dpkg-deb -c "$deb")
for wanted in lib/libtilewright.so.0 lib/libtilewright_blas.so.0 lib/tilewright/libblas.so.3 bin/tw \
    include/tilewright/tilewright.h cmake/tilewright/tilewright-config.cmake pkgconfig/tilewright.pc; do
    case $contents in *"$wanted"*) ;; *) echo "$deb lacks $wanted"; exit 1 ;; esac
done
case $contents in *cuda.so* | *_native*) echo "$deb has what it should not"; exit 1 ;; esac
case $(dpkg-deb -I "$deb" postinst) in *update-alternatives*) ;; *) echo "$deb has no postinst"; exit 1 ;; esac

rm -rf package/root
dpkg-deb -x "$deb" package/root
usr=$PWD/package/root/usr
library=$(dirname "$(find "$usr" -name libtilewright.so.0)")
case $(readelf -d "$library/libtilewright.so.0") in *"soname: [libtilewright.so.0]"*) ;; *) echo "no SONAME"; exit 1 \
    ;; esac
cc "$examples/multiply.c" -I"$usr/include" -L"$library" -ltilewright -o package/example
[ "$(LD_LIBRARY_PATH=$library package/example)" = "4 5
10 11" ]
"$usr/bin/tw" --version
echo "right: $(basename "$deb"), $(stat -c %s "$deb") bytes"
