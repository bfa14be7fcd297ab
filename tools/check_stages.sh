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
        -DTW_CUDA_DRAFT=OFF --with -UCMAKE_CUDA_ARCHITECTURES tilewright_cuda &&
        { stage "Their machine code" run_tests release -R '^cuda_machine_code$' --output-junit "$results/cuda.xml" ||
            true; }
fi

# judge_products COUNT SEED [OPTION...]: by as many judges as there are cores. What fails says which seed repeats it.
judge_products() {
    local each=$((($1 + jobs - 1) / jobs)) seed
    for ((seed = $2; seed < $2 + $1; seed += each)); do echo "$seed"; done |
        xargs -P "$jobs" -n 1 build/release/tw judge --seconds 86400 --cases "$each" "${@:3}" --seed |
        awk '/ cases, / {cases += $1; refused += $3; next} !/^nothing|^  [a-z]/
             END {print "   " cases " cases, " refused " refused"}'
}

if [ "$what" = check ]; then
    stage "Building what reads input under asan and ubsan" tools/sanitized build asan-input &&
        { stage "Its tests under asan and ubsan" tools/sanitized test asan-input || true; }
    stage "Building tw" build release --with -DTW_TESTS=ON tw && {
        stage "Ten thousand random products, judged" judge_products 10000 20261124 || true
        stage "Of cpu-check's, fifteen hundred" judge_products 1500 1 --device cpu-check || true
    }
    stage "A minute of fuzzing" tools/fuzz 60 || true
fi
