# Sourced by bench-against and same-hashes. program_of COMMIT|PROGRAM: prints the path of a turgor program, built from
# that commit below build/commits (once), or given as a file.
program_of() {
    if [ -f "$1" ] && [ -x "$1" ]; then
        realpath "$1"
        return
    fi
    local commit
    commit=$(git -C "$top" rev-parse --verify --quiet "$1^{commit}") || {
        echo "'$1' is neither a commit nor a program" >&2
        return 2
    }
    local folder=$top/build/commits/$commit
    local program=$folder/build/release/apps/turgor/turgor
    if [ ! -x "$program" ]; then
        echo "building the program of $1 below build/commits …" >&2
        mkdir -p "$folder"
        git -C "$top" archive "$commit" | tar -x -C "$folder"
        (cd "$folder" && cmake --preset release -DTURGOR_BUILD_TESTS=OFF &&
            cmake --build --preset release --target turgor_program) >"$folder/build.log" 2>&1 || {
            tail -n 20 "$folder/build.log" >&2
            return 1
        }
    fi
    echo "$program"
}
