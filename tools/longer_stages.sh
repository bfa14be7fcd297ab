# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# What `make test-all` adds to `make test` and `make check`, as lanes; sourced by tools/test. Results are counted with
# the others. What could go on for ever has its work counted, in calls, cases or a core's seconds: more cores end it
# sooner and do as much. With TW_BY_TURNS=1 it is what changes find first, and one of five groups, a day each.
source tools/lanes.sh
tools/install_packages test-all || lacking=1
has_packages() { [ -z "${lacking:-}" ] || { remember skipped 0 "$1: packages are missing"; return 1; }; }

# under TURN PRESET WHAT SANITIZERS
under() {
    by_turns "$1" "Building $3 under $4" tools/sanitized build "$2" &&
        stage "Its tests under $4" tools/sanitized test "$2"
}

# Turn 0: all the rooms under asan, on other days those that `make check` takes; and AArch64 with its NEON kernels, by a
# processor that is only played: right or wrong, never a speed. Digits and parts of emulated units take minutes there
# and have nothing of NEON's; a child of a process with threads is more than qemu plays.
all_under_asan() {
    if by_turns 0 "Building everything under asan and ubsan" build asan --with -DTW_TESTS=ON; then
        stage "All tests under asan and ubsan" run_tests asan
    elif ! is_turn 0; then
        under "$turn" asan-input "what reads input" "asan and ubsan"
    fi
}
build_for_aarch64() {
    local folder=$root/build/aarch64-googletest
    quietly googletest-aarch64 cmake -S /usr/src/googletest -B "$folder" -DCMAKE_BUILD_TYPE=Release -DBUILD_GMOCK=OFF \
        --toolchain "$root/cmake/aarch64-linux-gnu.cmake" -DCMAKE_INSTALL_PREFIX="$folder/installed" &&
        quietly googletest-aarch64 cmake --build "$folder" -j "$jobs" --target install &&
        build aarch64 test_base test_scheme test_reference test_backend_cpu
}
neon() {
    needs qemu-aarch64 "Tests of NEON's kernels" && by_turns 0 "Building for AArch64" build_for_aarch64 &&
        stage "Tests of NEON's kernels under qemu" run_tests aarch64 -L '^(base|scheme|reference|backend_cpu)$' \
            -E '^(Digits|MatrixUnit|layout_in_device_code)|Fork'
}

# Turn 1: the second compiler sees the same code, and its tests the same kernels; conversions on every input there is by
# both. CUDA's kernels are nvcc's and g++'s in every build and take minutes: they are made above.
by_clang() {
    by_turns 1 "Building everything with clang, into build/clang" build clang --with -DTW_TESTS=ON --with \
        -DTW_EXHAUSTIVE=ON --with -DTW_CUDA=OFF && stage "The tests, built with clang" run_tests clang
}
under_clangs_asan() { under 1 asan-clang "what reads input" "clang's asan and ubsan"; }
conversions() {
    by_turns 1 "Building the conversions, into build/exhaustive" build exhaustive every_conversion &&
        stage "Conversions on all 2^32 inputs" run_tests exhaustive -L '^exhaustive$'
}

# Turn 2: threads, and a network.
under_tsan() { under 2 tsan "what has threads" tsan; }
under_msan() {
    under 2 msan "what computes" msan
    stage "A minute of fuzzing the parsers under msan" tools/fuzz 60 fuzz-memory
}
by_valgrind() { needs valgrind "The quick tests" && by_turns 2 "The quick tests under valgrind" tools/under_valgrind; }
a_network() {
    has_packages "A network with real weights" && by_turns 2 \
        "A network with real weights takes the effort dial (examples/network)" quietly network examples/network/run \
            build/results/network
}

# Turn 3: machines that have nothing, where root can make them; else a clean clone here. And other people's programs.
bare_machines() {
    local releases=(bookworm trixie) release ended=0
    [ -z "${TW_BY_TURNS:-}" ] || releases=("${releases[$(date +%s) / 86400 / turns % 2]}")
    for release in "${releases[@]}"; do tools/bare_debian "$release" || ended=1; done
    return $ended
}
bare() { needs debootstrap "Bare Debian" && by_turns 3 "Bare Debian: make run, make test" bare_machines; }
clean() {
    command -v debootstrap >/dev/null && [ "$(id -u)" = 0 ] ||
        by_turns 3 "A clean clone: make run, and everything built once" tools/clean_clone
}

# Turn 4: clang's view of threads, and mistakes on purpose.
under_clangs_tsan() { under 4 tsan-clang "what has threads" "clang's tsan"; }
mistakes() {
    by_turns 4 "Forty small mistakes, of which the tests must see nearly all" tools/mutate --count 40 \
        --seed "$(date +%Y%m%d)" --jobs "$jobs" --trees "$jobs"
}

built_once() {
    quietly again cmake --build build/release -j "$jobs" || return 1
    ! grep Building "$log/again" || { echo "   a second build built something"; return 1; }
}
read_by_clang() {
    local headers
    headers=$(sed -n 's/^cuda_headers:PATH=//p' build/release/CMakeCache.txt 2>/dev/null)
    [ -n "$headers" ] || { echo "   the CUDA backend is absent"; return 0; }
    find src/backend/cuda tests/rooms/backend/cuda -name "*.cpp" -print0 | xargs -0 -n 1 -P "$jobs" \
        clang++ -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Werror -Iinclude -Isrc -Itests -isystem "$headers"
}
reading() {
    local part=(--part "$turn/$turns")
    [ -n "${TW_BY_TURNS:-}" ] && [ -z "$only_stage" ] || part=()
    stage "What stands around CUDA's kernels, read by clang" read_by_clang
    stage "Each header alone" tools/check_headers
    needs clang-tidy "Mistakes that compilers don't see" &&
        stage "Mistakes that compilers don't see, by clang-tidy" tools/tidy ${part[@]+"${part[@]}"}
}

# As many calls as in twenty minutes of a busy machine with two cores. Another day's seed finds other mistakes.
soak() { stage "Five hundred thousand mixed calls from eight threads" tools/soak 500000; }
judging() {
    local seed && seed=$(date +%Y%m%d)0000000
    stage "A hundred and fifty thousand random products, judged" judge_products 150000 "$seed"
    stage "Of cpu-check's, fifteen thousand" judge_products 15000 "$seed" --device cpu-check
}
fuzzing() { stage "Ten minutes of fuzzing" tools/fuzz 600; }

# In build/release, one after the other. The first counts: ten thousand flipped bits of each kind, a hundred thousand
# clean runs, eight thousand records.
more_of_release() {
    TW_LONG_TESTS=1 stage "Flipped bits, clean runs and writers at once, many of each" run_tests release \
        -R '^(Correcting|StoreFile\.Fault14)' --timeout 3000 --output-junit "$results/long.xml"
    has_packages "Other people's programs on our BLAS" &&
        by_turns 3 "Other people's programs on our BLAS (docs/clients.md)" run_tests release -C clients -L clients \
            --output-junit "$results/clients.xml"
    stage "A project that has our sources inside itself" run_tests release -C outside \
        -R '^outside\.add_subdirectory$' --output-junit "$results/outside.xml"
}

# The longest first. The second ones want what `make test` has built, or a device that its tests have left.
lanes=(mistakes bare under_tsan all_under_asan by_clang under_clangs_tsan under_msan under_clangs_asan
       conversions neon fuzzing)
lanes_of_release=(clean more_of_release soak reading by_valgrind judging a_network)
begin_lanes "${lanes[@]}"
all_of_them() {
    stage "A second build has nothing to do" built_once || true
    begin_lanes "${lanes_of_release[@]}"
    end_lanes "${lanes[@]}" "${lanes_of_release[@]}"
}
