"""Find the Redis server that the tests start.

Run as a program, it installs one if none is found and that is possible, and prints its path.
Otherwise it prints what to type, and the tests that need a server are skipped.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("redis-server", "valkey-server")
REMEDY = "Tests of the shared store need a Redis server. Type: sudo apt-get install redis-server"
APT_INSTALL = Path(__file__).with_name("apt_install.sh")


def find_redis() -> Path | None:
    """Return the installed server."""
    return next((Path(path) for name in NAMES if (path := shutil.which(name))), None)


def ensure_redis() -> Path | None:
    """Return a server, installing one if possible."""
    return find_redis() or (find_redis() if _install_debian_package() else None)


def _install_debian_package() -> bool:
    return subprocess.run(["sh", APT_INSTALL, "redis-server"], check=False).returncode == 0


if __name__ == "__main__":
    found = ensure_redis()
    print(found or REMEDY, file=sys.stdout if found else sys.stderr)
