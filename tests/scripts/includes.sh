#!/usr/bin/env bash
# The walls between the rooms of src/: a room includes only itself and rooms above it in the list below
# (docs/architecture.md). includes_allowed.txt lists what still breaks the rule; that list only shrinks, and is to
# become empty.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
rooms=(base mesh solid device body elastic elastic/device elastic/matching elastic/surface elastic/surface/device
    elastic/meshless elastic/lattice elastic/cells contact volume step step/device world world/opencl world/missing
    scene output draw)

found=$(cd "$top/src" && grep -rno --include='*.cpp' --include='*.hpp' --include='*.h' '^#include "[^"]*"' . |
    awk -v rooms="${rooms[*]}" '
    BEGIN { count = split(rooms, list, " "); for (k = 1; k <= count; ++k) rank[list[k]] = k }
    function room(path) {  # the longest name of a room that begins the path
        for (k = count; k > 0; --k) if (index(path, list[k] "/") == 1 && length(list[k]) > length(best)) best = list[k]
        return best
    }
    {
        split($0, part, ":"); file = substr(part[1], 3)
        match($0, /"[^"]*"/); target = substr($0, RSTART + 1, RLENGTH - 2)
        best = ""; from = room(file); best = ""; to = room(target)
        if (target ~ /^turgor\// || index(target, "/") == 0) next
        # The list of models is the one place that knows them all.
        if (file == "elastic/models.cpp" && to ~ /^elastic\//) next
        if (from == "" || to == "" || rank[to] > rank[from]) print file " -> " target
    }' | sort -u)
allowed=$(sort -u "$here/includes_allowed.txt")
new=$(comm -23 <(echo "$found") <(echo "$allowed") | sed '/^$/d')
gone=$(comm -13 <(echo "$found") <(echo "$allowed") | sed '/^$/d')
[ -z "$new" ] || printf 'a room includes one below it:\n%s\n' "$new"
[ -z "$gone" ] || printf 'no longer there: take these lines out of tests/scripts/includes_allowed.txt\n%s\n' "$gone"
[ -z "$new$gone" ]
