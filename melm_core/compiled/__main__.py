"""`python -m melm_core.compiled`: build the library for this environment, or say why not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from melm_core.compiled.loading import ENVIRONMENT_FOLDER, build, engine


def main() -> None:
    """Build into the folder that is named, or into the environment."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ENVIRONMENT_FOLDER
    try:
        built = build(folder)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stdout.write(f"Sums run in numpy, several times slower: {error}\n")
        return
    sys.stdout.write(f"{built.name}: {built.stat().st_size / 1000:.0f} kB, {engine()}\n")


if __name__ == "__main__":
    main()
