# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# What `make test-all` adds to `make test` and `make check`; sourced by tools/test. Results are counted with the others.
# Three hours and more with them on two cores; with TW_BY_TURNS=1 about half of that: what changes find first, and one
# of five groups, a day each.

built_once() {
    quietly again cmake --build build/release -j "$jobs" || return 1
    ! grep Building "$log/again" || { echo "   a second build built something"; return 1; }
}
stage "A second build has nothing to do" built_once || true

# What is told how long to take does so beside the builds below. It configures build/release, where nothing may be
# building then. Another day's seed finds other mistakes.
soak_for_long() { nice -n 10 tools/soak 1200; }
judge_for_long() { judge_products 600 "$(date +%Y%m%d)0000000"; }
both_for_long() { soak_for_long && judge_for_long; }
beside long_ones both_for_long

read_by_clang() {
    local headers
    headers=$(sed -n 's/^cuda_headers:PATH=//p' build/release/CMakeCache.txt)
    [ -n "$headers" ] || { echo "   the CUDA backend is absent"; return 0; }
    find src/backend/cuda tests/rooms/backend/cuda -name "*.cpp" -print0 | xargs -0 -n 1 -P "$jobs" \
        clang++ -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Werror -Iinclude -Isrc -Itests -isystem "$headers"
}
stage "What stands around CUDA's kernels, read by clang" read_by_clang || true

stage "Each header alone" tools/check_headers || true

if command -v clang-tidy >/dev/null; then
    part=(--part "$turn/$turns")
    [ -n "${TW_BY_TURNS:-}" ] && [ -z "$only_stage" ] || part=()
    stage "Mistakes that compilers don't see, by clang-tidy" tools/tidy ${part[@]+"${part[@]}"} || true
fi

# Turn 0: all the rooms under asan, on other days those that `make check` takes; and AArch64 with its NEON kernels, by a
# processor that is only played: right or wrong, never a speed. Digits and parts of emulated units take minutes there
# and have nothing of NEON's; a child of a process with threads is more than qemu plays.
if by_turns 0 "Building everything under asan and ubsan" build asan --with -DTW_TESTS=ON; then
    stage "All tests under asan and ubsan" run_tests asan || true
elif ! is_turn 0; then
    stage "Building what reads input under asan and ubsan" tools/sanitized build asan-input &&
        { stage "Its tests under asan and ubsan" tools/sanitized test asan-input || true; }
fi
googletest_for_aarch64() {
    local folder=$root/build/aarch64-googletest
    cmake -S /usr/src/googletest -B "$folder" --toolchain "$root/cmake/aarch64-linux-gnu.cmake" \
        -DCMAKE_BUILD_TYPE=Release \
          -DBUILD_GMOCK=OFF -DCMAKE_INSTALL_PREFIX="$folder/installed" &&
              cmake --build "$folder" -j "$jobs" --target install
}
if command -v qemu-aarch64 >/dev/null; then
    by_turns 0 "Building for AArch64" eval "quietly googletest-aarch64 googletest_for_aarch64 &&
        build aarch64 test_base test_scheme test_reference test_backend_cpu" && {
        stage "Tests of NEON's kernels under qemu" run_tests aarch64 -L '^(base|scheme|reference|backend_cpu)$' \
            -E '^(Digits|MatrixUnit|layout_in_device_code)|Fork' || true
    }
fi

# Turn 1: the second compiler sees the same code, and its tests the same kernels; conversions on every input there is by
# both. CUDA's kernels are nvcc's and g++'s in every build and take minutes: they are made above.
by_turns 1 "Building everything with clang, into build/clang" build clang --with -DTW_TESTS=ON --with \
    -DTW_EXHAUSTIVE=ON --with -DTW_CUDA=OFF && {
    stage "The tests, built with clang" run_tests clang || true
}
by_turns 1 "Building what reads input under clang's asan and ubsan" tools/sanitized build asan-clang && {
    stage "Its tests under clang's asan and ubsan" tools/sanitized test asan-clang || true
}
by_turns 1 "Building the conversions, into build/exhaustive" build exhaustive every_conversion && {
    stage "Conversions on all 2^32 inputs" run_tests exhaustive -L '^exhaustive$' || true
}

# Turn 2: threads, and a network.
by_turns 2 "Building what has threads under tsan" tools/sanitized build tsan && {
    stage "Its tests under tsan" tools/sanitized test tsan || true
}
by_turns 2 "Building what computes under msan" tools/sanitized build msan && {
    stage "Its tests under msan" tools/sanitized test msan || true
}
by_turns 2 "The quick tests under valgrind" tools/under_valgrind || true
by_turns 2 "A network with real weights takes the effort dial (examples/network)" quietly network examples/network/run \
    build/results/network || true

# Turn 3: machines that have nothing, where root can make them; else a clean clone here. And other people's programs.
bare_machines() {
    local releases=(bookworm trixie) release ended=0
    [ -z "${TW_BY_TURNS:-}" ] || releases=("${releases[$(date +%s) / 86400 / turns % 2]}")
    for release in "${releases[@]}"; do tools/bare_debian "$release" || ended=1; done
    return $ended
}
by_turns 3 "Bare Debian: make run, make test" bare_machines || true
command -v debootstrap >/dev/null && [ "$(id -u)" = 0 ] ||
    by_turns 3 "A clean clone: make run, and everything built once" tools/clean_clone || true
by_turns 3 "Other people's programs on our BLAS (docs/clients.md)" run_tests release -C clients -L clients \
    --output-junit "$results/clients.xml" || true

# Turn 4: clang's view of threads, and mistakes on purpose.
by_turns 4 "Building what has threads under clang's tsan" tools/sanitized build tsan-clang && {
    stage "Its tests under clang's tsan" tools/sanitized test tsan-clang || true
}
by_turns 4 "Forty small mistakes, of which the tests must see nearly all" tools/mutate --count 40 --seed \
    "$(date +%Y%m%d)" || true

# Tests that count: ten thousand flipped bits of each kind, a hundred thousand clean runs, eight thousand records.
TW_LONG_TESTS=1 stage "Flipped bits, clean runs and writers at once, many of each" run_tests release \
    -R '^(Correcting|StoreFile\.Fault14)' --timeout 3000 --output-junit "$results/long.xml" || true
stage "Twenty minutes of mixed calls from eight threads, ten of random products, judged" \
    end_of long_ones both_for_long || true
stage "Ten minutes of fuzzing" tools/fuzz 600 || true
stage "A minute of fuzzing the parsers under msan" tools/fuzz 60 fuzz-memory || true

stage "A project that has our sources inside itself" run_tests release -C outside -R '^outside\.add_subdirectory$' \
    --output-junit "$results/outside.xml" || true
