#!/bin/sh
# Usage: make_venv.sh FOLDER
# Create a virtual environment with the newest Python found; PYTHON names another one.
set -eu

folder=$1
# The machine's own before others of its version: distributions optimize theirs, and what pyenv and
# such compile takes up to twice as long.
candidates=${PYTHON:-python3.14 python3.13 python3.12 /usr/bin/python3 python3.11 python3}

# The first candidate that is new enough and for which the statement $1 holds.
find_python() {
    for candidate in $candidates; do
        if "$candidate" -c "import sys; $1; sys.exit(sys.version_info < (3, 11))" 2> /dev/null; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

fail() {
    echo "$1" >&2
    exit 1
}

# Debian and Ubuntu keep ensurepip in a package of its own.
if ! python=$(find_python "import ensurepip, venv"); then
    bare=$(find_python "pass") ||
        fail "Python 3.11 or newer is needed and was not found ($candidates). Install one and try again."
    package=$("$bare" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    sh "$(dirname "$0")/apt_install.sh" "$package" ||
        fail "$bare cannot create virtual environments yet. Type: sudo apt-get install $package"
    python=$(find_python "import ensurepip, venv") ||
        fail "$bare cannot create virtual environments. Install its venv and ensurepip modules and try again."
fi

"$python" -m venv --clear "$folder"
