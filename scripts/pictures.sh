#!/usr/bin/env bash
# Makes the pictures of README.md and docs/ anew: scripts/pictures.sh [NAME…]
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
to=$top/docs/pictures

# picture NAME ARGUMENTS OF turgor render…
picture() {
    local name=$1
    shift
    [ -z "${wanted:-}" ] || [[ " $wanted " == *" $name "* ]] || return 0
    "$top/run" render "$@" --out "$to/$name.jpg"
}
# solid NAME ARGUMENTS OF turgor solidify…
solid() {
    local name=$1
    shift
    [ -z "${wanted:-}" ] || [[ " $wanted " == *" $name "* ]] || return 0
    "$top/run" solidify "$@" --out "$to/$name.jpg"
}
wanted=$*

picture demo gummy_bears --frames 40 --size 1200x640 --camera 25,12,1.15
picture falling gummy_bears --frames 0,18,30,45 --size 460x620 --columns 4
picture figure3_recovery recovery --frames 0,4,12,59 --size 800x470 --camera 0,0,0.98 --columns 2
picture figure5_paths "$to/duck.json" --frames 0 --size 760x640 --camera 25,12,1.25 --show paths
picture struts "$to/duck.json" --frames 0 --size 760x640 --camera 25,12,1.25 --show struts
picture figure6_twirled_bar twirled_bar --frames 0,36,60 --size 900x330 --camera 8,8,1 --columns 1
picture figure7_squeezed "$to/squeezed_sphere.json" --frames 52 --size 520x360 --camera 20,8,1 --columns 2 \
    --variant "everywhere alike: volume=global" --variant "locally, with struts: volume=local,beta=0.1" \
    --variant "locally, without: volume=local,beta=0" --variant "not at all: volume=off"
picture ducks_and_tori ducks_and_tori --frames 200 --size 1200x640 --camera 25,18,1.3
picture balls_in_glass balls_in_glass --frames 120 --size 900x700
picture lattice_cube lattice_cube --frames 0,10,18,59 --size 560x360 --camera 20,14,1.2 --columns 2
picture jelly_plate jelly_plate --frames 0,22,28,42 --size 420x320 --camera 20,14,1.3 --columns 4
picture torn_cake torn_cake --frames 0,22,30,44 --size 420x300 --camera 20,14,1.4 --columns 4
picture lattice_cells jelly_plate --frames 22 --size 760x560 --camera 20,10,1.6 --show cells
solid solid_settings tree --cells 40 --variant "P_in 0.9, P_subs 0.6, 56 cells: p-in=0.9,p-subs=0.6,cells=56" \
    --variant "P_in 0.75, P_subs 0.5, 40 cells: p-in=0.75,p-subs=0.5" \
    --variant "P_in 0.2, P_subs 0.1, 12 cells: p-in=0.2,p-subs=0.1,cells=12"
solid solid_smoothing bear --cells 20 --variant "smoothed over edges of cells: smoothing=10" \
    --variant "over diagonals, too: diagonals=1"
