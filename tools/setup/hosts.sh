#!/usr/bin/env bash
# The programs that host agents, which the plug-ins of packaging/ are tried with. Large, so each has a folder of its own
# and is brought once. Without network, and with nothing there, the tests that need them are skipped.

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

openclaw_host="openclaw@2026.9.6"
openclaw_node="node@26.10.0" # of the system's Node.js it would ask too much
hermes_host="hermes-agent==0.19.0"
hermes_types="mypy==2.4.1" # holds the plug-in to the types of the host
hosts="$weft_cache/hosts"

# brought FOLDER WHAT : whether it is there; else the folder is empty afterwards.
brought() {
    [ "$(cat "$1/.weft-host" 2> /dev/null)" = "$2" ] && return
    rm -rf "$1" && mkdir -p "$1"
    return 1
}

missing() { say "notice: could not install $1; the tests that use it will be skipped"; }

# Scripts of its packages would fetch programs from elsewhere; none of them is needed. Node.js comes by such a script,
# from the same registry.
install_openclaw() {
    local folder="$hosts/openclaw" what="$openclaw_host $openclaw_node"
    brought "$folder" "$what" && return
    have npm || { say "notice: no npm; the tests that need $openclaw_host will be skipped"; return; }
    say "installing $what (npm)"
    if npm install --prefix "$folder" --ignore-scripts --silent --no-audit --no-fund --no-package-lock "$openclaw_host" >&2 \
        && npm install --prefix "$folder/runtime" --silent --no-audit --no-fund --no-package-lock "$openclaw_node" >&2; then
        echo "$what" > "$folder/.weft-host"
    else
        missing "$openclaw_host"
    fi
}

install_hermes() {
    local folder="$hosts/hermes" what="$hermes_host $hermes_types" candidate
    brought "$folder" "$what" && return
    for candidate in python3 /usr/bin/python3; do
        "$candidate" -c 'import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2> /dev/null || continue
        say "installing $what (pip)"
        if "$candidate" -m venv "$folder" \
            && "$folder/bin/python" -m pip install --quiet --disable-pip-version-check $what >&2; then
            echo "$what" > "$folder/.weft-host"
            return
        fi
        break
    done
    missing "$hermes_host"
}

install_openclaw
install_hermes
