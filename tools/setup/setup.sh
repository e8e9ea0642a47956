#!/usr/bin/env bash
# Brings everything that building and running Weft needs; what is there already is left alone, so the second run
# takes no time and no network.
#
#   setup.sh            system libraries, llama.cpp, models
#   setup.sh --tests    the same, and what only the tests need: clang 19, Node.js, the official API clients, hosts of agents
#
# Environment: WEFT_CACHE (default ~/.cache/weft), WEFT_JOBS (compiler processes), PIP_INDEX_URL (a mirror).

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

here="$weft_root/tools/setup"
mkdir -p "$weft_cache" 2> /dev/null && [ -w "$weft_cache" ] \
    || fail "cannot write to $weft_cache" "name another folder: WEFT_CACHE=/some/where make setup"

# Two checkouts may be set up at once.
exec 9> "$weft_cache/.lock"
if have flock && ! flock -n 9; then
    say "waiting for another set-up"
    flock 9
fi

"$here/apt.sh" "$@"
"$here/llama.sh"
"$here/models.sh"
if [ "${1:-}" = --tests ]; then "$here/clients.sh"; "$here/hosts.sh"; fi
