"""How the page loads its scripts: one entry module, which imports all others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

ASSETS = Path(__file__).parents[2] / "assets"

# The folder of the modules that `main.mjs` imports. Dash must leave these alone: it would load each
# a second time, under an address with a time stamp.
MODULES = "studio"

# Dash is started by `main.mjs`, once all that its callbacks call is there: modules run after the
# scripts of the page, and Dash's own start would not wait for them.
RENDERER = "// assets/main.mjs starts Dash."


def module_preloads(address: Callable[[str], str]) -> str:
    """Links that fetch all modules at once; without them, one import would wait for another.

    `address` gives the address of a file by its path within the assets.
    """
    modules = sorted(path.relative_to(ASSETS) for path in (ASSETS / MODULES).rglob("*.mjs"))
    return "\n".join(
        f'<link rel="modulepreload" href="{address(path.as_posix())}">' for path in modules
    )
