#!/bin/sh
# Runs a program that needs the models of set-up; says so and counts as skipped (77) where they are missing.
models="${WEFT_CACHE:-$HOME/.cache/weft}/models"
for model in multilingual-e5-small-q4 all-minilm-l6-v2-q8 smollm2-135m-instruct-q4_1; do
    if [ ! -s "$models/$model.gguf" ]; then
        echo "skipped: $models/$model.gguf is missing; \`make setup\` brings it"
        exit 77
    fi
done
exec "$@"
