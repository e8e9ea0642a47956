#!/usr/bin/env bash
# The official API clients, which the end-to-end tests talk to `weft serve` with: Python's into the environment of
# ours, Node's into a folder of its own. Without network, and with nothing there, the tests that need them are skipped.

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Three judge the server by its own OpenAPI document: a validator, a tester, a generator of clients. One reads its metrics.
# The last two are what tools/fit fits weights with.
python_clients="openai==3.54.0 anthropic==2.13.0 setuptools==84.2.1 mcp==2.3.0 \
openapi-spec-validator==0.9.0 schemathesis==4.32.5 openapi-python-client==0.29.1 prometheus-client==0.26.0 \
numpy==2.4.6 scikit-learn==1.9.1"
node_client="openai@7.57.0"
# Of the Model Context Protocol: both major versions of the client, the inspector, the official suite, and a Node.js
# that is new enough for the last two.
mcp_clients="@modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/inspector@2.12.0 \
@modelcontextprotocol/conformance@0.2.0-alpha.12 node@22.23.3"
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
# Each by itself: where one cannot be had the others are still used.
# shellcheck disable=SC2086
for clients in "clients $node_client" "mcp $mcp_clients" "page $page_clients"; do node_packages $clients; done
