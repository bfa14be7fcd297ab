#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# Builds the wheel as pip does, installs it into a fresh virtual environment, and uses it from there.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
place=$root/build/wheel_test
rm -rf "$place"
mkdir -p "$place"
python3 -m venv "$place/fresh"
python=$place/fresh/bin/python
CMAKE_BUILD_PARALLEL_LEVEL=$(nproc) "$python" -m pip wheel -q --no-deps -w "$place" .
"$python" -m pip install -q "$place"/tilewright-*.whl jax ml_dtypes dask distributed pytest

cd "$place"   # away from the sources: only what was installed can be found
"$python" -m pytest -q -p no:cacheprovider "$root/tests/promises/wheel"
# In a process of its own, which has eight devices.
"$python" -m pytest -q -p no:cacheprovider "$root/tests/promises/mesh"
package=$("$python" -c 'import tilewright; print(tilewright.__path__[0])')
# What needs torch and transformers is tested by `make test-models`.
"$python" -m pytest -q -p no:cacheprovider --doctest-modules "$package" --ignore "$package/torch" \
    --ignore "$package/transformers.py" --ignore "$package/pretrained.py" --ignore "$package/generate.py" \
    --ignore "$package/steps.py" --ignore "$package/attention.py"
"$python" -m tilewright.graph --size 100
# grep reads to the end: a closed pipe would be the example's error.
"$python" "$root/examples/multiply.py" | grep -F '|  7 |'
"$python" -m tilewright --version
ls -l "$place"/*.whl
echo "right: the wheel"
