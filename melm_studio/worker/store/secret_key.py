"""The secret key in a file that only its owner can read."""

from __future__ import annotations

import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

SECRET_BYTES = 32


def secret_in(path: Path) -> bytes:
    """Return the secret in the file, which is created once."""
    if not path.exists():
        _create_whole(path, secrets.token_bytes(SECRET_BYTES))
    return path.read_bytes()


def _create_whole(path: Path, content: bytes) -> None:
    """Create a private file atomically; leave an existing one alone."""
    with tempfile.NamedTemporaryFile(dir=path.parent) as file:  # created with mode 0600
        file.write(content)
        file.flush()
        with suppress(FileExistsError):
            path.hardlink_to(file.name)
