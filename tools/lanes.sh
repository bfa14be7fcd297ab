# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Copyright 2026 The tilewright authors
#
# Lanes, for scripts that have sourced stages.sh: each is a command whose stages want nothing of another lane. On ten
# cores and more begin_lanes sets some of them to work at once, each with its share of the cores, behind what comes
# next. end_lanes tells of each in its turn, or does it there and then where it was not begun: there are few cores, or
# stages are left out.
lanes_at_once=$((jobs / 5))
lanes_begun=
lane_groups=()
end_what_runs() { [ ${#lane_groups[@]} = 0 ] || kill -- "${lane_groups[@]}" 2>/dev/null || true; }

begin_lanes() {
    local lane
    [ $lanes_at_once -gt 1 ] && [ -z "$from_stage$only_stage" ] || return 0
    for lane; do rm -f "$log/lane-${lane// /-}" "$log/lane-${lane// /-}.ended"; done
    set -m  # a process group of its own, which ends with this script
    run_lanes "$@" </dev/null &
    set +m
    lane_groups+=("-$!") lanes_begun+=" ${*// /-} "
    renice -n 5 -p $! >/dev/null
}

run_lanes() {
    local lane name
    export TW_JOBS=$((jobs * 3 / 2 / lanes_at_once))
    jobs=$TW_JOBS
    for lane; do
        while [ "$(jobs -rp | wc -l)" -ge $lanes_at_once ]; do sleep 0.2; done
        name=$log/lane-${lane// /-}
        { $lane || true; touch "$name.ended"; } >"$name" 2>&1 &
    done
    wait
}

end_lanes() {
    local lane name waited=0
    for lane; do
        name=$log/lane-${lane// /-}
        case $lanes_begun in *" ${lane// /-} "*) ;; *) $lane || true; continue ;; esac
        until [ -f "$name.ended" ]; do
            kill -0 -- "${lane_groups[@]}" 2>/dev/null || { remember failed 0 "$lane: it was ended"; break; }
            sleep 0.2
            [ $((++waited % 150)) != 0 ] || echo "   ... $(tail -n 1 "$name" 2>/dev/null | cut -c 1-100)"
        done
        grep -v '^   \.\.\. ' "$name" || true
    done
    wait
    lane_groups=()  # their numbers may soon be others'
}
