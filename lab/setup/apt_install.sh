#!/bin/sh
# Usage: apt_install.sh PACKAGE...
# Install Debian packages where nobody has to type a password: as root, or by a sudo that asks
# for none. Fails in silence everywhere else, so that the caller can say what to type.
set -eu

command -v apt-get > /dev/null || exit 1
if [ "$(id -u)" -eq 0 ]; then
    as_root=env
elif sudo -n true 2> /dev/null; then
    as_root="sudo -n env"
else
    exit 1
fi

echo "Installing $* with apt-get." >&2
as_root="$as_root DEBIAN_FRONTEND=noninteractive"
# A source that cannot be reached need not be the one that has the package.
$as_root apt-get -qq update > /dev/null < /dev/null || true
$as_root apt-get -qq install -y "$@" > /dev/null < /dev/null
