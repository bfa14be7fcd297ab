# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# What the scripts behind the Makefile share: stages with a title and a time, the build of one preset, a run of tests.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL  # the build below counts its own jobs
# How many compilers or tests at once.
jobs=${TW_JOBS:-$(nproc 2>/dev/null || sysctl -n hw.ncpu)}
# A build that is new is Ninja's, where that is installed: no program's files wait for another program to be linked.
[ -n "${CMAKE_GENERATOR:-}" ] || ! command -v ninja >/dev/null || export CMAKE_GENERATOR=Ninja
results=$root/${TW_RESULTS:-build/results}
mkdir -p "$results"
log=$root/build/log
mkdir -p "$log"

# The beginning of a title: stages before that one are left out (from_stage), or all others are (only_stage).
from_stage=${from_stage:-}
only_stage=${only_stage:-}
# A line for each stage: fine, failed, skipped or later; its seconds; its title.
told=$(mktemp)
trap 'rm -f "$told"; [ -z "$running" ] || kill -- "-$running" 2>/dev/null || true; end_what_runs' EXIT
end_what_runs() { :; }
running=  # the process group of what this script waits for

spell_seconds() { if [ "$1" -ge 60 ]; then echo "$(($1 / 60)) min $(($1 % 60)) s"; else echo "$1 s"; fi; }

is_left_out() {
    local begins=1
    shopt -s nocasematch
    [[ $1 != "${only_stage:-$from_stage}"* ]] || begins=0
    shopt -u nocasematch
    [ $begins = 1 ] || [ -n "$only_stage" ] || from_stage=
    [ $begins = 1 ]
}

remember() { printf '%s\t%s\t%s\n' "$@" >>"$told"; }

# stage TITLE COMMAND...: says what begins, does it, says how long it took. Keeps going after a failure and remembers
# it.
stage() {
    local title=$1 started=$SECONDS ended=0
    shift
    ! is_left_out "$title" || return 0
    echo
    echo "== $title"
    "$@" || ended=$?
    remember "$([ $ended = 0 ] && echo fine || echo failed)" $((SECONDS - started)) "$title"
    return $ended
}

# needs PROGRAM WHAT: false without the program; the end tells WHAT was skipped.
needs() { command -v "$1" >/dev/null || { is_left_out "$2" || remember skipped 0 "$2: $1 is not here"; return 1; }; }

titles_of() { awk -F '\t' -v how="$1" -v before="$2" '$1 == how {print before $3}' "$told"; }

stage_table() {
    local how seconds title
    printf '\n== Time\n'
    while IFS=$'\t' read -r how seconds title; do
        case $how in fine | failed) printf '   %-52s %s\n' "$title" "$(spell_seconds "$seconds")" ;; esac
    done <"$told"
    printf '   %-52s %s\n' "all of it" "$(spell_seconds $SECONDS)"
    ! grep -q ^skipped "$told" || { printf '\nSkipped:\n'; titles_of skipped "   "; }
    ! grep -q ^later "$told" || {
        printf "\nOther days' turns (without TW_BY_TURNS all are done at once):\n"; titles_of later "   "; }
}

nothing_failed() { titles_of failed "failed: " >&2; ! grep -q ^failed "$told"; }

# The last line of a command's output, every half minute, for as long as process $2 runs.
tell_how_far() {
    while sleep 30 >/dev/null 2>&1 && kill -0 "$2" 2>/dev/null; do
        echo "   ... $(tail -n 1 "$log/$1" | cut -c 1-100)"
    done
}

# quietly NAME COMMAND...: the output goes to build/log/NAME; it is shown when the command fails. Where nobody watches a
# terminal, a line now and then says how far it is.
quietly() {
    local name=$1 ended=0 waited_for teller
    shift
    if [ -t 1 ]; then
        "$@" >"$log/$name" 2>&1 </dev/null || ended=$?
    else
        # Behind a script a command does not hear Ctrl-C: it gets a group of its own, which ends with the script. In a
        # lane it has the lane's.
        [ "$BASH_SUBSHELL" != 0 ] || set -m
        "$@" >"$log/$name" 2>&1 </dev/null &
        waited_for=$!
        [ "$BASH_SUBSHELL" != 0 ] || { set +m; running=$waited_for; }
        tell_how_far "$name" $waited_for &
        teller=$!
        wait $waited_for || ended=$?
        running=
        # A child that is ended before it has forgotten the trap above would run it: nothing runs after this signal.
        { kill -KILL $teller; wait $teller; } 2>/dev/null || true
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
is_turn() { [ -z "${TW_BY_TURNS:-}" ] || [ -n "$from_stage$only_stage" ] || [ "$turn" = "$1" ]; }

# by_turns N TITLE COMMAND...: a stage when it is turn N's; else its title is told at the end.
by_turns() { if is_turn "$1"; then shift && stage "$@"; else remember later 0 "$2"; return 1; fi; }

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

# local_architecture: how a build is told which of CUDA's kernels to compile: those for the device that is here; a draft
# where there is none; all for who will call `make check` next and says TW_ALL_ARCHITECTURES=1, so that no kernel is
# compiled twice. `make check` compiles all. A build that is there keeps what it has, but no draft where that will not
# do.
local_architecture() {
    local devices is_new=1 is_draft=
    [ ! -f build/release/CMakeCache.txt ] || is_new=
    ! grep -qs '^TW_CUDA_DRAFT:BOOL=ON' build/release/CMakeCache.txt || is_draft=1
    [ -n "$is_new$is_draft" ] || return 0
    if [ -n "${TW_ALL_ARCHITECTURES:-}" ]; then
        [ -z "$is_draft" ] || echo --with -DTW_CUDA_DRAFT=OFF --with -UCMAKE_CUDA_ARCHITECTURES
        return 0
    fi
    devices=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -u | tr '\n' ' ')
    case $devices in
        "") echo --with -DTW_CUDA_DRAFT=ON ;;
        "9.0 ") echo --with -DTW_CUDA_DRAFT=OFF --with -DCMAKE_CUDA_ARCHITECTURES=90a-real ;;
        *) echo --with -DTW_CUDA_DRAFT=OFF --with -DCMAKE_CUDA_ARCHITECTURES=80 ;;  # its PTX runs on what comes after
    esac
}

# run_tests PRESET [CTEST ARGUMENTS...]: the tests of build/PRESET; their results go to build/results for the closing
# count.
run_tests() {
    local preset=$1 costs=Testing/Temporary/CTestCostData.txt newest
    shift
    # What tests took elsewhere: the longest begin first, and no core waits for them at the end.
    newest=$(ls -t build/*/$costs 2>/dev/null | head -n 1 || true)
    [ -f "build/$preset/$costs" ] || [ -z "$newest" ] ||
        { mkdir -p "build/$preset/Testing/Temporary" && cp "$newest" "build/$preset/$costs"; }
    # Two more at once than there are cores: many wait, for a child, a lock or a browser.
    local command=(ctest --test-dir "build/$preset" -j $((jobs + 2)) --output-on-failure --no-tests=error --timeout 600
                   --output-junit "$results/$preset.xml" "$@")
    if [ -t 1 ]; then "${command[@]}" --progress </dev/null; else quietly "test-$preset" "${command[@]}"; fi
}
