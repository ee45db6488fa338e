#!/usr/bin/env bash
# Nothing below src/ names what is the surface model's own, outside its folder; other models' folders may use the same
# words for theirs. includes.sh does the same for headers.
# Exceptions: scene keys, and the members of Material that the API has for the surface model (docs/architecture.md).
set -uo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")/../../src"
words='\bomega\b|ω|Surface(Body|Rest|CpuRest|CpuView|Parameters|Device)\b|wobble_share|normal_point|share_mass'
found=$(grep -rnE --include='*.cpp' --include='*.hpp' --include='*.h' --include='*.cl' "$words" . |
    grep -vE '^\./(elastic/(surface|meshless|lattice|matching)/|scene/|body/material\.cpp)' |
    grep -vE '^\./world/snapshot(_bodies)?\.cpp:.*a\("' |
    grep -vE '^\./world/world\.cpp:.*f\.surface\.')
[ -z "$found" ] || { printf 'only src/elastic/surface may name these:\n%s\n' "$found"; exit 1; }
