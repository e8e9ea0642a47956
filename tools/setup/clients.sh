#!/usr/bin/env bash
# The official API clients, which the end-to-end tests talk to `weft serve` with: Python's into the environment of
# ours, Node's into a folder of its own. Without network, and with nothing there, the tests that need them are skipped.

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

python_clients="openai==3.54.0 anthropic==2.13.0 setuptools==84.2.1"
node_client="openai@7.57.0"
# What drives the page: a browser is the system's (apt.sh).
page_clients="playwright-core@1.65.1 axe-core@4.14.1"

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

# node_packages NAME PACKAGE... : into the folder of all Node packages; NAME is what of them the tests need.
node_packages() {
    local name="$1" folder="$weft_cache/node"
    shift
    local stamp="$folder/.weft-$name"
    [ "$(cat "$stamp" 2> /dev/null)" = "$*" ] && return
    have npm || { say "notice: no npm; the tests that need $* will be skipped"; return; }
    say "installing $* (npm)"
    mkdir -p "$folder"
    if npm install --prefix "$folder" --silent --no-audit --no-fund --no-package-lock "$@" >&2; then
        echo "$*" > "$stamp"
    else
        say "notice: could not install $*; the tests that use it will be skipped"
    fi
}

install_python_clients
node_packages clients $node_client
node_packages page $page_clients
