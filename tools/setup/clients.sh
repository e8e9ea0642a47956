#!/usr/bin/env bash
# The official API clients, which the end-to-end tests talk to `weft serve` with: Python's into the environment of
# ours, Node's into a folder of its own. Without network, and with nothing there, the tests that need them are skipped.

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

python_clients="openai==3.54.0 anthropic==2.13.0 setuptools==84.2.1"
node_client="openai@7.57.0"

install_python_clients() {
    local stamp="$venv/.weft-clients"
    [ "$(cat "$stamp" 2> /dev/null)" = "$python_clients" ] && return
    ensure_venv
    say "installing $python_clients"
    if "$venv/bin/python" -m pip install --quiet --disable-pip-version-check $python_clients >&2; then
        echo "$python_clients" > "$stamp"
    else
        say "notice: could not install $python_clients; the tests that use it will be skipped"
    fi
}

node_clients() {
    local folder="$weft_cache/node" stamp="$weft_cache/node/.weft-clients"
    [ "$(cat "$stamp" 2> /dev/null)" = "$node_client" ] && return
    have npm || { say "notice: no npm; the tests of the Node.js client will be skipped"; return; }
    say "installing $node_client (npm)"
    mkdir -p "$folder"
    if npm install --prefix "$folder" --silent --no-audit --no-fund --no-package-lock "$node_client" >&2; then
        echo "$node_client" > "$stamp"
    else
        say "notice: could not install $node_client; the tests that use it will be skipped"
    fi
}

install_python_clients
node_clients
