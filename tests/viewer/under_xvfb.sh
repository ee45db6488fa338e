#!/usr/bin/env bash
# under_xvfb.sh PROGRAM
# The viewer in a real window on a screen that nobody sees: it starts, draws, follows mouse and keys, closes cleanly.
set -euo pipefail
program=$1
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null || { echo "skipped: the package ${tool,,} is missing"; exit 77; }
done
work=$(mktemp -d)
trap 'kill $screen $viewer 2>/dev/null || true; rm -rf "$work"' EXIT
screen= viewer=
cd "$work"
export XDG_CONFIG_HOME=$work/config LIBGL_ALWAYS_SOFTWARE=1

Xvfb -displayfd 3 -screen 0 640x480x24 3>display 2>xvfb.log &
screen=$!
for _ in $(seq 100); do [ -s display ] && break; sleep 0.1; done
DISPLAY=:$(cat display)
export DISPLAY

mkdir -p config/turgor
echo '{"width": 480, "height": 360, "panel": false, "fine": false}' >config/turgor/viewer.json
cat >ball.json <<'SCENE'
{"colliders": [{"shape": {"plane": {}}}],
 "bodies": [{"name": "ball", "shape": {"icosphere": {"subdivisions": 3}},
            "position": [0, 0.5, 0], "color": [0.8, 0.05, 0.03]}]}
SCENE
"$program" view ball.json --stats stats.json --seconds 120 >view.log 2>&1 &
viewer=$!

fail() { echo "FAILED: $1"; cat view.log; exit 1; }
# wait_for SECONDS COMMAND…
wait_for() {
    local end=$((SECONDS + $1)); shift
    until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep 0.2; done
}
has_window() { xdotool search --name '^Turgor$' >window 2>/dev/null; }
wait_for 30 has_window || fail "no window"
key() { xdotool key --window "$(head -n 1 window)" "$1"; sleep 0.5; }

sleep 2
key k
wait_for 30 test -s turgor-001.png || fail "K took no screenshot"
xdotool mousemove 240 190 mousedown 1; sleep 0.7  # the ball is in the middle
for y in 180 165 150 135 120; do xdotool mousemove 240 $y; sleep 0.15; done
sleep 0.7
key p
xdotool mouseup 1
key k
wait_for 30 test -s turgor-002.png || fail "K took no second screenshot"
cmp -s turgor-001.png turgor-002.png && fail "pulling the ball changed nothing"
xdotool mousemove 60 60 mousedown 1 mousemove 160 90; sleep 0.5; xdotool mouseup 1  # around
key d
key space
key s
key BackSpace
key b
key r
key d
key h
key Tab
sleep 1
key Escape
wait_for 20 bash -c "! kill -0 $viewer 2>/dev/null" || fail "Escape did not close it"
wait $viewer || fail "it did not end with exit code 0"
viewer=

expect() { grep -Eq "$1" stats.json || { cat stats.json; fail "stats lack $1"; }; }
expect '"grabs": 1'
expect '"pins": 1'
expect '"drops": 2'
expect '"pictures": 2'
expect '"bodies": 2'
expect '"frames": [0-9]{2}'
grep -q '"panel": true' config/turgor/viewer.json || fail "it did not remember the panel"
echo "the viewer drew $(grep -o '"frames": [0-9]*' stats.json | grep -o '[0-9]*') frames"
