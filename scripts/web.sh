# Sourced by run and test: builds what runs in a browser, serves it, tests it. Needs $top, scripts/packages.sh and
# scripts/progress.sh.
page=$top/out/web

# npm of Debian 12 brings hundreds of packages: it is only installed where there is no other.
web_tools() {
    need_packages "${build_packages[@]}" "${web_packages[@]}" || return 1
    command -v node >/dev/null && command -v npm >/dev/null || need_packages nodejs npm
}

# npm's own notices say nothing about this project. Packages that are there already are not asked for again.
install_modules() {
    local folder=$1
    [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] && return 0
    npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error && touch "$folder/node_modules/.package-lock.json"
}

# Says which step it is at; the output of each goes to the log, whose end is shown where one fails.
web_step() {
    local what=$1
    shift
    echo "$what …" >&2
    "$@" >>"$top/build/web.log" 2>&1 || web_step_failed "$what"
}

# The same for a step of ninja, which is only mentioned where there is something to do.
web_step_with_progress() {
    local what=$1
    shift
    "$@" 2>&1 | tee -a "$top/build/web.log" | show_progress "$what" || web_step_failed "$what"
}

web_step_failed() {
    tail -n 20 "$top/build/web.log" >&2
    echo "$1: that failed; all of its output is in build/web.log" >&2
    return 1
}

build_wasm() {
    cd "$top" && cmake --preset wasm && cmake --build --preset wasm
}

build_web() {
    mkdir -p "$top/build"
    : >"$top/build/web.log"
    web_step_with_progress "building the library as WebAssembly" build_wasm &&
        web_step "fetching TypeScript, Vite and three.js" install_both &&
        web_step "building the package turgor-web" npm run build --prefix "$top/bindings/web" &&
        web_step "building the page" npm run build --prefix "$top/web"
}
install_both() {
    install_modules "$top/bindings/web" && install_modules "$top/web"
}

web_help() {
    echo "./run web [--build] [--port N]"
    echo "  builds the page into out/web, serves it on this machine and prints its address"
    echo "  --build   only build it: static files that any web server can host"
    echo "  --port N  serve it there, 0: on any free port; default: 8000, or the next free one"
}

is_port() {
    [[ $1 =~ ^[0-9]{1,5}$ ]] && [ "$((10#$1))" -lt 65536 ]
}

# ./run web [--build] [--port N]
run_web() {
    local port=() only_build=false
    while [ $# -gt 0 ]; do
        case $1 in
        --build) only_build=true ;;
        --port)
            is_port "${2:-}" || {
                echo "./run web --port takes a number of 0 … 65535, not '${2:-}'" >&2
                return 2
            }
            port=(--port "$2")
            shift
            ;;
        --help | -h)
            web_help
            return 0
            ;;
        *)
            echo "./run web knows --build and --port N, not $1" >&2
            return 2
            ;;
        esac
        shift
    done
    web_tools && build_web || return 1
    if $only_build; then
        echo "the page is in out/web: static files that any web server can host"
        return 0
    fi
    exec node "$top/web/serve.mjs" "$page" "${port[@]}"
}

# Tests of the package in node and of the page in Chromium. What is missing on this machine is said in one line and
# skipped.
test_web() {
    web_tools 2>/dev/null || {
        echo "skipped: the web tests; they need Debian's packages ${web_packages[*]} nodejs npm"
        return 0
    }
    npm ping --loglevel=silent >/dev/null 2>&1 || [ -e "$top/web/node_modules" ] || {
        echo "skipped: the web tests; the npm registry cannot be reached"
        return 0
    }
    build_web || return 1
    node --test "$top"/bindings/web/tests/*.test.mjs || return 1
    { need_packages "${web_test_packages[@]}" && install_modules "$top/web/tests"; } 2>/dev/null || {
        echo "skipped: the tests of the page; they need Debian's package ${web_test_packages[*]}" \
            "and playwright-core from npm"
        return 0
    }
    node --test "$top"/web/tests/*.test.mjs
}
