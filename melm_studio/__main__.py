"""Start of the command `melm-studio`; `python -m melm_studio` is the same."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Import the command without collecting garbage, and run it.

    What is imported stays to the end. Looking through two thousand modules again and again for what
    is not needed would take a fifth of the time of a short command.
    """
    gc.disable()
    from melm_studio.command import main as command  # noqa: PLC0415 - with the collector at rest

    gc.freeze()
    gc.enable()
    return command()


if __name__ == "__main__":
    sys.exit(main())
