# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# What the scripts behind the Makefile share: stages with a title and a time, the build of one preset, a run of tests.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL  # the build below counts its own jobs
jobs=$(nproc 2>/dev/null || sysctl -n hw.ncpu)
# A build that is new is Ninja's, where that is installed: no program's files wait for another program to be linked.
[ -n "${CMAKE_GENERATOR:-}" ] || ! command -v ninja >/dev/null || export CMAKE_GENERATOR=Ninja
results=$root/${TW_RESULTS:-build/results}
mkdir -p "$results"
log=$root/build/log
mkdir -p "$log"

# The beginning of a title: stages before that one are left out (from_stage), or all others are (only_stage).
from_stage=${from_stage:-}
only_stage=${only_stage:-}
stage_titles=()
stage_seconds=()
failed_stages=()

spell_seconds() { if [ "$1" -ge 60 ]; then echo "$(($1 / 60)) min $(($1 % 60)) s"; else echo "$1 s"; fi; }

is_left_out() {
    shopt -s nocasematch
    local left_out=0
    if [ -n "$only_stage" ]; then
        [[ $1 != "$only_stage"* ]] || left_out=1
    elif [ -z "$from_stage" ]; then
        left_out=1
    elif [[ $1 == "$from_stage"* ]]; then
        left_out=1
        from_stage=
    fi
    shopt -u nocasematch
    return $left_out
}

# stage TITLE COMMAND...: says what begins, does it, says how long it took. Keeps going after a failure and remembers
# it.
stage() {
    local title=$1 started=$SECONDS ended=0
    shift
    ! is_left_out "$title" || return 0
    echo
    echo "== $title"
    "$@" || ended=$?
    stage_titles+=("$title")
    stage_seconds+=($((SECONDS - started)))
    [ $ended = 0 ] || failed_stages+=("$title")
    return $ended
}

stage_table() {
    local i
    echo
    echo "== Time"
    for i in "${!stage_titles[@]}"; do
        printf '   %-52s %s\n' "${stage_titles[i]}" "$(spell_seconds "${stage_seconds[i]}")"
    done
    printf '   %-52s %s\n' "all of it" "$(spell_seconds $SECONDS)"
}

# The last line of a command's output, every half minute, for as long as process $2 runs.
tell_how_far() {
    while sleep 30 >/dev/null 2>&1 && kill -0 "$2" 2>/dev/null; do
        echo "   ... $(tail -n 1 "$log/$1" | cut -c 1-100)"
    done
}

# quietly NAME COMMAND...: the output goes to build/log/NAME; it is shown when the command fails. Where nobody watches a
# terminal, a line now and then says how far it is.
quietly() {
    local name=$1 ended=0 running teller
    shift
    if [ -t 1 ]; then
        "$@" >"$log/$name" 2>&1 </dev/null || ended=$?
    else
        "$@" >"$log/$name" 2>&1 </dev/null &
        running=$!
        tell_how_far "$name" $running &
        teller=$!
        wait $running || ended=$?
        { kill $teller; wait $teller; } 2>/dev/null || true
    fi
    [ $ended = 0 ] && return 0
    tail -n 60 "$log/$name"
    echo "   failed: $*"
    echo "   (all of its output: build/log/$name)"
    return 1
}

# With TW_BY_TURNS=1 long stages go by turns, a group of them a day, so that five days do all of them; who names a stage
# gets it.
turns=5
turn=$(($(date +%s) / 86400 % turns))
other_days=()
is_turn() { [ -z "${TW_BY_TURNS:-}" ] || [ -n "$from_stage$only_stage" ] || [ "$turn" = "$1" ]; }

# by_turns N TITLE COMMAND...: a stage when it is turn N's; else its title is told at the end.
by_turns() {
    local its=$1
    shift
    if is_turn "$its"; then stage "$@"; else other_days+=("$1"); return 1; fi
}

tell_other_days() {
    [ ${#other_days[@]} -gt 0 ] || return 0
    echo
    echo "Other days' turns (without TW_BY_TURNS all are done at once):"
    printf '   %s\n' "${other_days[@]}"
}

# beside NAME COMMAND...: begins what is told how long to take, while other stages go on. Its own stage is end_of NAME
# COMMAND..., which waits, or does it where it was not begun because stages are left out.
beside() {
    local name=$1
    shift
    [ -z "$from_stage$only_stage" ] || return 0
    "$@" >"$log/$name" 2>&1 </dev/null &
    eval "running_$name=$!"
}
end_of() {
    local name=$1 running ended=0
    shift
    eval "running=\${running_$name:-}"
    [ -n "$running" ] || { quietly "$name" "$@"; return $?; }
    wait "$running" || ended=$?
    tail -n 60 "$log/$name"
    return $ended
}

# build PRESET [--with -DOPTION=VALUE]... [TARGET...]: configures and builds into build/PRESET; everything, or only the
# targets.
build() {
    local preset=$1 options=() targets=()
    shift
    while [ "${1:-}" = --with ]; do options+=("$2"); shift 2; done
    [ $# = 0 ] || targets=(--target "$@")
    # make builds the targets of a command line one after the other, and the last file of each keeps one core alone: one
    # target that depends on all keeps them all.
    [ $# -le 1 ] || { options+=("-DTW_TOGETHER=$(IFS=';' && echo "$*")") && targets=(--target together); }
    # An empty array is "unbound" to the bash of macOS: hence the plus signs.
    quietly "configure-$preset" cmake --preset "$preset" ${options[@]+"${options[@]}"} || return 1
    local command=(cmake --build "build/$preset" -j "$jobs" ${targets[@]+"${targets[@]}"})
    if [ -t 1 ]; then "${command[@]}"; else quietly "build-$preset" "${command[@]}"; fi
}

# local_architecture: how a build that is new is told to compile CUDA's kernels for the device that is here alone, or
# for Hopper where there is none; `make check` compiles them for all. A build that is there keeps what it has. Who will
# call `make check` next says TW_ALL_ARCHITECTURES=1, and no kernel is compiled twice.
local_architecture() {
    [ ! -f build/release/CMakeCache.txt ] && [ -z "${TW_ALL_ARCHITECTURES:-}" ] || return 0
    case $(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u | tr '\n' ' ') in
        "" | "9.0 ") echo --with -DCMAKE_CUDA_ARCHITECTURES=90a-real ;;
        *) echo --with -DCMAKE_CUDA_ARCHITECTURES=80 ;;  # its PTX runs on what comes after
    esac
}

# run_tests PRESET [CTEST ARGUMENTS...]: the tests of build/PRESET; their results go to build/results for the closing
# count.
run_tests() {
    local preset=$1
    shift
    # One more at once than there are cores: many wait, for a child, a lock or a browser.
    local command=(ctest --test-dir "build/$preset" -j $((jobs + 1)) --output-on-failure --no-tests=error --timeout 600
                   --output-junit "$results/$preset.xml" "$@")
    if [ -t 1 ]; then "${command[@]}" --progress </dev/null; else quietly "test-$preset" "${command[@]}"; fi
}
