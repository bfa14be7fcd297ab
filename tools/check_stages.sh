# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# The stages of `make check`; sourced by tools/test. `make test-all` has longer ones in place of the last two.
stage "The formatting, by clang-format" tools/check_format || true

if [ -n "$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)" ]; then
    export PYTHONPATH=$root/build/nvdisasm  # where there is no disassembler, it is fetched
    command -v nvdisasm >/dev/null || [ -d build/nvdisasm ] ||
        python3 -m pip install --quiet --target build/nvdisasm nvidia-cuda-nvdisasm ||
            echo "   nvdisasm could not be fetched"
    stage "Building CUDA's kernels for every architecture" build release --with -DTW_TESTS=ON --with \
        -UCMAKE_CUDA_ARCHITECTURES tilewright_cuda &&
        { stage "Their machine code" run_tests release -R '^cuda_machine_code$' --output-junit "$results/cuda.xml" ||
            true; }
fi

# What fails says which seed repeats it.
judge_products() {
    build/release/tw judge --seconds "$1" --seed "$2" &&
        build/release/tw judge --seconds "$(($1 / 6))" --device cpu-check
}

if [ "$what" = check ]; then
    # It mostly keeps one core busy: it judges beside the sanitized build, which gives way to it.
    judges=
    stage "Building tw" build release --with -DTW_TESTS=ON tw && judges=1
    [ -z "$judges" ] || beside judge judge_products 60 20261124
    stage "Building what reads input under asan and ubsan" nice -n 5 tools/sanitized build asan-input &&
        { stage "Its tests under asan and ubsan" tools/sanitized test asan-input || true; }
    [ -z "$judges" ] || stage "A minute of random products, judged beside that build" end_of judge || true
    stage "A minute of fuzzing" tools/fuzz 60 || true
fi
