"""Where the wheel of the library takes its package from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_PACKAGE = "melm_core"


class PackageOfTheRepository(BuildHookInterface):  # type: ignore[type-arg]
    """Take it from the root of the repository, or of a source archive that holds it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the package to what the target of the build holds."""
        here = Path(self.root)
        root = here if (here / _PACKAGE).is_dir() else here.parents[1]
        build_data["force_include"][str(root / _PACKAGE)] = _PACKAGE
