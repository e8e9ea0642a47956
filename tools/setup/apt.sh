#!/usr/bin/env bash
# Installs the system packages that are missing, by apt, as root or through sudo. With nothing missing it needs
# neither. On a system without apt it does nothing: the build names what it lacks.

source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build_packages="cmake ninja-build pkg-config make tar coreutils python3 python3-venv
    libcurl4-openssl-dev libssl-dev zlib1g-dev libsqlite3-dev libpq-dev libicu-dev nlohmann-json3-dev libfmt-dev libspdlog-dev libcli11-dev
    libtomlplusplus-dev libvalijson-dev libxxhash-dev libstemmer-dev libopencc-dev libedit-dev libyaml-cpp-dev
    libgtest-dev libgmock-dev"

# clang only for fuzzing and for the checks of `make lint`; gcc builds the product. The browser and a font with Chinese
# are for the page.
test_packages="clang-19 libclang-rt-19-dev clang-format-19 clang-tidy-19 libbenchmark-dev postgresql chromium fonts-noto-cjk webp"

installed() { dpkg-query -W -f '${db:Status-Status}\n' "$1" 2> /dev/null | grep -qx installed; }
available() { apt-cache show "$1" > /dev/null 2>&1; }

missing=()
want() { installed "$1" || missing+=("$1"); }

collect() {
    local package
    have c++ || want g++
    have ccache || want ccache
    for package in $build_packages; do want "$package"; done
    boost_missing && missing+=("$boost")
    [ "${1:-}" = --tests ] || return 0
    have git || want git
    have node || want nodejs
    have npm || want npm
    for package in $test_packages; do want "$package"; done
}

# Debian 12 has Boost 1.74 as default and 1.81 by its side; later systems have a newer default.
boost=libboost1.81-dev
boost_missing() {
    installed libboost1.81-dev && return 1
    local header=/usr/include/boost/version.hpp
    [ -e "$header" ] && [ "$(awk '/define BOOST_VERSION / { print $3 }' "$header")" -ge 108100 ] && return 1
    return 0
}

# Sets `as_root` to what goes before a command that needs root: nothing, or sudo.
as_root=()
become_root() {
    [ "$(id -u)" = 0 ] && return
    if have sudo && { [ -t 0 ] || sudo -n true 2> /dev/null; }; then
        as_root=(sudo)
        return
    fi
    fail "these packages are missing, and installing them needs root: ${missing[*]}" \
        "as root: apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
}

main() {
    if ! have dpkg-query || ! have apt-get; then
        say "no apt here: install the libraries by hand (README names them); the build says what is missing"
        return
    fi
    collect "$@"
    [ ${#missing[@]} = 0 ] && return
    become_root
    say "installing ${#missing[@]} system packages: ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q > "$weft_cache/apt.log" 2>&1 \
        || say "apt-get update failed (see $weft_cache/apt.log); trying with the lists that are there"
    local chosen=() package
    for package in "${missing[@]}"; do
        if [ "$package" = libboost1.81-dev ] && ! available "$package"; then package=libboost-dev; fi
        if available "$package"; then
            chosen+=("$package")
        elif [[ " ${test_packages//$'\n'/ } " == *" $package "* ]]; then
            say "notice: apt does not know $package; the tests that need it are left out"
        else
            fail "apt does not know $package" "the command was: apt-get install ${missing[*]}"
        fi
    done
    [ ${#chosen[@]} = 0 ] && return
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${chosen[@]}" \
        >> "$weft_cache/apt.log" 2>&1 \
        || fail "apt-get install failed; see $weft_cache/apt.log" "the command was: apt-get install ${chosen[*]}"
}

main "$@"
