# Sourced by run and scripts/web.sh: how far a build is.

# Reads ninja's output and says on stderr how far it is, if there is anything to do: one line that is rewritten on a
# terminal, else a line for each tenth. Argument: what is built. Where there is much to do, it says that it takes
# minutes.
show_progress() {
    local what=$1 line at all tenth=-1 terminal=false
    [ -t 2 ] && terminal=true
    while IFS= read -r line; do
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]] || continue
        [[ ${BASH_REMATCH[3]} == Re-* ]] && continue
        at=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
        if [ $tenth -lt 0 ]; then
            [ "$all" -gt 50 ] && echo "$what; this takes a few minutes …" >&2 || echo "$what …" >&2
            tenth=0
        fi
        if $terminal; then
            printf '\r\033[K[%d/%d]' "$at" "$all" >&2
        elif [ $((10 * at / all)) -gt $tenth ]; then
            tenth=$((10 * at / all))
            printf '[%d/%d]\n' "$at" "$all" >&2
        fi
    done
    if $terminal && [ $tenth -ge 0 ]; then printf '\r\033[K' >&2; fi
}
