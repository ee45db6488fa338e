# Sourced by run and test: sees to it that Debian's packages are there. Arguments: package names.
# Installs only what is missing, so a machine that has everything needs neither root nor network.
need_packages() {
    local missing=()
    local name
    for name in "$@"; do
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "Turgor needs these Debian packages: ${missing[*]}." \
                "Install them as root: apt-get install ${missing[*]}" >&2
            return 1
        }
        as_root=(sudo)
    fi
    echo "installing ${missing[*]} …" >&2
    local log
    log=$(mktemp)
    if ! { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        echo "could not install ${missing[*]}:" >&2
        tail -n 5 "$log" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

build_packages=(g++ cmake ninja-build nlohmann-json3-dev libcli11-dev libfmt-dev libhwy-dev)
test_packages=(libgtest-dev libeigen3-dev)
# Only for pictures (./run render, .png and .mp4 outputs), for the window (./run view), and for testing both.
render_packages=(pkg-config libepoxy-dev libstb-dev libegl1 libgl1-mesa-dri ffmpeg fonts-dejavu-core)
view_packages=("${render_packages[@]}" libglfw3-dev libimgui-dev libgl1)
view_test_packages=(xvfb xdotool)
# Only for the opencl back end (./run … --backend opencl, ./run devices), and PoCL for testing it.
device_packages=(ocl-icd-opencl-dev opencl-clhpp-headers)
device_test_packages=(pocl-opencl-icd)
# Only for ./run web and ./test. Without nodejs and npm, which may have come another way: scripts/web.sh.
web_packages=(clang-19 lld-19 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 wasi-libc)
web_test_packages=(chromium)
