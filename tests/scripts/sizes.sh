#!/usr/bin/env bash
# No source of ours has more than 500 lines, and no line of it more than 120 characters.
# sizes_allowed.txt lists files that are still longer; that list only shrinks, and is to become empty.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
most_lines=500 widest=120
cd "$top" || exit 1

# Scripts without an ending, then everything by its ending. What npm and the builds put there is not ours.
mapfile -t sources < <(
    printf '%s\n' run test scripts/*
    find CMakeLists.txt apps bench bindings cmake include scripts src tests web \
        \( -name node_modules -o -name dist -o -name build \) -prune -o -type f \
        \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' -o -name '*.cl' -o -name '*.cmake' -o -name CMakeLists.txt \
        -o -name '*.sh' -o -name '*.ts' -o -name '*.js' -o -name '*.mjs' -o -name '*.css' \
        -o -name '*.vert' -o -name '*.geom' -o -name '*.frag' -o -name '*.glsl' \) -print)
mapfile -t sources < <(printf '%s\n' "${sources[@]}" | LC_ALL=C sort -u)
[ ${#sources[@]} -gt 500 ] || {
    echo "only ${#sources[@]} sources found below $top: has this script lost them?"
    exit 1
}

long=$(awk -v most=$most_lines 'FNR == most + 1 { print FILENAME }' "${sources[@]}" | LC_ALL=C sort)
allowed=$(LC_ALL=C sort -u "$here/sizes_allowed.txt")
new=$(LC_ALL=C comm -23 <(echo "$long") <(echo "$allowed") | sed '/^$/d')
gone=$(LC_ALL=C comm -13 <(echo "$long") <(echo "$allowed") | sed '/^$/d')
wide=$(LC_ALL=C.UTF-8 grep -HnE "^.{$((widest + 1)),}" "${sources[@]}" | cut -d: -f1,2)
[ -z "$new" ] || printf 'more than %d lines; split these by subject:\n%s\n' $most_lines "$new"
[ -z "$gone" ] || printf 'no longer too long: take these lines out of tests/scripts/sizes_allowed.txt\n%s\n' "$gone"
[ -z "$wide" ] || printf 'more than %d characters in a line:\n%s\n' $widest "$wide"
[ -z "$new$gone$wide" ]
