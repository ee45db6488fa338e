#!/usr/bin/env bash
# What ./run says before and while it builds. Builds nothing itself.
set -uo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
failures=0
# expect WHAT WANTED FOUND
expect() {
    [ "$2" = "$3" ] && return
    printf '%s\n  wanted: %s\n  found:  %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
}

source "$top/scripts/progress.sh"
steps() {
    echo "-- Configuring done"
    echo "[0/2] Re-checking globbed directories..."
    echo "[0/1] Re-running CMake..."
    for ((k = 1; k <= $1; ++k)); do echo "[$k/$1] Building CXX object src/CMakeFiles/turgor.dir/a.cpp.o"; done
}
expect "nothing to do is not mentioned" "" "$({ steps 0; echo "ninja: no work to do."; } | show_progress building 2>&1)"
expect "a little to do" "building …
[1/2]
[2/2]" "$(steps 2 | show_progress building 2>&1)"
many=$(steps 200 | show_progress building 2>&1)
expect "much to do takes minutes" "building; this takes a few minutes …" "$(head -n 1 <<<"$many")"
expect "not a line for each file" 11 "$(wc -l <<<"$many")"
expect "the last one" "[200/200]" "$(tail -n 1 <<<"$many")"

for port in abc "" -1 65536 1e3; do
    said=$(timeout 20 "$top/run" web --port "$port" 2>&1 </dev/null)
    expect "--port '$port' is refused" 2 $?
    expect "--port '$port' is refused at once" "./run web --port takes a number of 0 … 65535, not '$port'" "$said"
done
said=$(timeout 20 "$top/run" web --help 2>&1 </dev/null)
expect "--help is known" 0 $?
[[ $said == *"--port N"* ]] || expect "--help tells of --port" "--port N" "$said"
said=$(timeout 20 "$top/run" web --dance 2>&1 </dev/null)
expect "another option is refused" 2 $?

exit $((failures > 0))
