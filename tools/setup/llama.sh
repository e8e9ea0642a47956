#!/usr/bin/env bash
# Builds llama.cpp once into $cache/llama/<key> and points $cache/llama/current at it. The key covers the
# version, these scripts, the compiler and the instruction set of this processor, so that a cache carried to
# another machine builds anew instead of dying of an illegal instruction.
#
# WEFT_LLAMA_MODELS=all    compiles every model architecture (twice the time) instead of the list below
# WEFT_LLAMA_NATIVE=OFF    for programs that travel: AVX2 instead of what this processor has
# WEFT_SYSTEM_LLAMA=0      builds one even where the system has one

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# The architectures that are compiled: encoders for embedding, and the families people run on one machine.
kept_models="bert nomic-bert nomic-bert-moe jina-bert-v2 jina-bert-v3 modern-bert gemma-embedding
    llama llama-embed mistral3 qwen2 qwen3 qwen3moe qwen35 delta-net-base gemma gemma2 gemma3 gemma4 phi3
    smollm3 deepseek2 command-r cohere2 glm4 granite openai-moe hunyuan-dense hunyuan-vl olmo2 internlm2 minicpm
    gpt2 falcon"

llama_key() {
    local here="$weft_root/tools/setup"
    {
        echo "$llama_package ${WEFT_LLAMA_MODELS:-kept} $native $system"
        cat "$here/llama.sh" "$here"/llama/*
        "${CXX:-c++}" -dumpfullversion
        cpu_flags
    } | sha256sum | cut -c1-16
}

# The matrix unit (AMX) needs the system's leave, which containers and virtual machines may not get although the
# processor announces it: the first matrix product then dies. Small encoders gain nothing from it.
without_amx="-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
"${CC:-cc}" $without_amx -x c -E /dev/null > /dev/null 2>&1 || without_amx=""

# What -march=native means here; the plain flag says the same on every machine.
cpu_flags() { "${CC:-cc}" -march=native -Q --help=target 2> /dev/null | grep -E 'enabled|-march=|-mtune=' || uname -m; }

native="${WEFT_LLAMA_NATIVE:-ON}"

# A llama.cpp of the system is used as it is; then only the grammar and template parts are built here.
system_llama() {
    [ "${WEFT_SYSTEM_LLAMA:-1}" != 0 ] || return 0
    local prefix prefixes="${CMAKE_PREFIX_PATH:-}"
    for prefix in ${prefixes//[:;]/ } /usr /usr/local; do
        find "$prefix"/lib*/cmake/llama "$prefix"/lib/*/cmake/llama -name llama-config.cmake 2> /dev/null
    done | head -n 1 || true  # most of these folders do not exist
}
system="$(system_llama)"

unpack() {
    local stamp="$llama_source/.weft-unpacked"
    [ -e "$stamp" ] && return
    say "unpacking llama.cpp"
    rm -rf "$llama_source"
    mkdir -p "$llama_source"
    tar -xzf "$weft_cache/packages/$llama_archive" -C "$llama_source" --strip-components=1 --wildcards \
        '*/vendor/llama.cpp/CMakeLists.txt' '*/vendor/llama.cpp/LICENSE' '*/vendor/llama.cpp/licenses' \
        '*/vendor/llama.cpp/cmake' '*/vendor/llama.cpp/common' '*/vendor/llama.cpp/ggml' \
        '*/vendor/llama.cpp/include' '*/vendor/llama.cpp/src' '*/vendor/llama.cpp/vendor' \
        '*/vendor/llama.cpp/models/ggml-vocab-*.gguf'
    touch "$stamp"
}

# prepare_source DIR : a copy of the engine's source with our two changes.
prepare_source() {
    local source="$1"
    rm -rf "$source"
    mkdir -p "$source"
    cp -r "$llama_source/vendor/llama.cpp/." "$source/"
    skip_unused_logits "$source/src/llama-context.cpp"
    if [ "${WEFT_LLAMA_MODELS:-}" != all ]; then keep_models "$source/src"; fi
}

# A context that pools embeddings allocates vocabulary x tokens floats of logits that it never fills: a
# megabyte a token for a vocabulary of 250,000.
skip_unused_logits() {
    local before='bool has_logits     = true;'
    local after='bool has_logits     = !cparams.embeddings || cparams.pooling_type == LLAMA_POOLING_TYPE_NONE || cparams.pooling_type == LLAMA_POOLING_TYPE_RANK;'
    sed -i "s/$before/$after/" "$1"
    grep -qF "$after" "$1" || say "notice: llama.cpp has changed, embedding contexts will need more memory than necessary"
}

# An architecture is a source file and a line in one switch; the files go, the line answers with an error.
keep_models() {
    local models="$1/models" file name class
    for file in "$models"/*.cpp; do
        name="$(basename "$file" .cpp)"
        grep -qx -- "$name" <<< "$kept_words" && continue
        rm "$file"
        for class in $(grep -oE 'new llama_model_[a-z0-9_]+' "$1/llama-model.cpp" | cut -c17- | grep -x "$(tr '-' '_' <<< "$name")" || true); do
            sed -i "s/return new llama_model_$class(params);/throw std::runtime_error(\"model architecture left out of this build; WEFT_LLAMA_MODELS=all brings it\");/" \
                "$1/llama-model.cpp"
        done
    done
}

build() {
    local key="$1" work="$weft_cache/llama/build" prefix="$weft_cache/llama/$1" launcher=() flags
    if have ccache; then
        launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    if [ -n "$system" ]; then
        say "using the llama.cpp of the system ($system); building only its grammar and template parts"
    else
        say "building llama.cpp with $(build_jobs) jobs (once; some minutes on a small machine)"
    fi
    rm -rf "$work"
    prepare_source "$weft_cache/llama/source"
    # The processor as a macro: ccache would otherwise take objects of another one for its own.
    flags="$without_amx -DWEFT_CPU_$(cpu_flags | sha256sum | cut -c1-8)"
    cmake -S "$weft_root/tools/setup/llama" -B "$work" -G Ninja "${launcher[@]}" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
        -DGGML_NATIVE="$native" -DWEFT_SYSTEM_LLAMA="$([ -n "$system" ] && echo ON || echo OFF)" \
        -DWEFT_LLAMA_SOURCE="$weft_cache/llama/source" -DCMAKE_INSTALL_PREFIX="$prefix.part" \
        -DCMAKE_INSTALL_LIBDIR=lib > "$weft_cache/llama/configure.log" 2>&1 \
        || fail "configuring llama.cpp failed; see $weft_cache/llama/configure.log"
    ninja -C "$work" -j "$(build_jobs)" >&2 \
        || fail "building llama.cpp failed" ${system:+"the system's llama.cpp may be too old; WEFT_SYSTEM_LLAMA=0 builds one here"}
    rm -rf "$prefix.part" "$prefix"
    cmake --install "$work" > /dev/null
    mv "$prefix.part" "$prefix"
    rm -rf "$work" "$weft_cache/llama/source"
}

kept_words="$(tr -s ' \n' '\n' <<< "$kept_models")"

main() {
    local key
    key="$(llama_key)"
    mkdir -p "$weft_cache/llama"
    if [ ! -e "$weft_cache/llama/$key/lib/libweft_llama_common.a" ]; then
        fetch "$llama_package" "$llama_archive" "$llama_sha256" --no-binary llama-cpp-python
        unpack
        build "$key"
        say "llama.cpp: $weft_cache/llama/current"
    fi
    ln -sfn "$key" "$weft_cache/llama/current"
}

main
