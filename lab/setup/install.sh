#!/bin/sh
# Usage: install.sh VENV REQUIREMENTS
# Install pinned requirements by uv, in a fraction of pip's time, or by pip where uv cannot be had
# or does not find the packages (an index that only pip's own settings name, say).
set -eu

venv=$1
requirements=$2
pins=$(dirname "$0")/../../requirements/dev.txt

by_pip() {
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$1"
}

# Its pin and hashes, out of those of the tools for development.
get_uv() {
    pin=$(mktemp)
    sed -n '/^uv==/,/# via/p' "$pins" > "$pin"
    by_pip "$pin" 2> /dev/null && status=0 || status=$?
    rm "$pin"
    return "$status"
}

# Like pip, it trusts whom the machine trusts, such as the proxy of a company.
by_uv() {
    VIRTUAL_ENV=$venv "$venv/bin/uv" pip install --system-certs --quiet --require-hashes \
        --requirement "$1" 2> /dev/null
}

if [ ! -x "$venv/bin/uv" ]; then get_uv || true; fi
by_uv "$requirements" || by_pip "$requirements"
