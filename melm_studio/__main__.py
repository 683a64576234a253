"""`python -m melm_studio` is the command `melm-studio`."""

from __future__ import annotations

import sys

from melm_studio.command import main

if __name__ == "__main__":
    sys.exit(main())
