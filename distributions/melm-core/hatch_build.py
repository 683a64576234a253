"""The version of both distributions, the package in the library's wheel, and what an index shows.

The studio has its description and addresses from here, too: a source archive of the library holds
nothing beside this folder. Where the project is published is known where it is published, so the
addresses are those below MELM_REPOSITORY_URL, which the workflow that publishes sets. Without it,
the description has neither pictures nor links to the documents.
"""

from __future__ import annotations

import os
import re
import sys
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.tags import platform_tags

__version__ = "0.1.0"  # of both distributions

_PACKAGE = "melm_core"
VARIABLE = "MELM_REPOSITORY_URL"
_PAPER = "https://doi.org/10.1007/978-3-319-23528-8_4"
_PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?:)([^)]+)\)\n*")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)([^)]+)\)")


class PackageOfTheRepository(BuildHookInterface):
    """Take it from the root of the repository; a source archive holds it already.

    Where MELM_WHEEL is "platform", a wheel also holds the compiled library, for this platform and
    every version of Python; otherwise it is for all platforms and has the sources alone.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the package to what the target of the build holds."""
        here = Path(self.root)
        package = here / _PACKAGE
        if not package.is_dir():
            package = here.parents[1] / _PACKAGE
            build_data["force_include"][str(package)] = _PACKAGE
        if self.target_name == "wheel" and os.environ.get("MELM_WHEEL") == "platform":
            built = _library(package, Path(mkdtemp()))
            build_data["force_include"][str(built)] = f"{_PACKAGE}/compiled/{built.name}"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{_platform()}"


def _platform() -> str:
    """The platform in the words of the index, which wants the C library named on Linux."""
    tags = list(platform_tags())
    return next((tag for tag in tags if tag.startswith("manylinux")), tags[0])


def _library(package: Path, folder: Path) -> Path:
    """The library of the package, built into a folder."""
    sys.path.insert(0, str(package.parent))
    try:
        build = import_module(f"{_PACKAGE}.compiled.loading").build
    finally:
        sys.path.pop(0)
    built: Path = build(folder)
    return built


class IndexMetadata(MetadataHookInterface):
    """Sets the description and the addresses of a distribution.

    Its option `description` is the file of the description.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        """Add both to the metadata."""
        url = os.environ.get(VARIABLE, "").rstrip("/")
        text = (Path(self.root) / self.config["description"]).read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": for_index(text, url)}
        metadata["urls"] = addresses(url)


def for_index(text: str, url: str) -> str:
    """The description with links from the repository, or without any if that has no address."""
    if not url:
        return _LINK.sub(r"\1", _PICTURE.sub("", text))
    text = _PICTURE.sub(rf"![\1]({url}/raw/HEAD/\2)\n\n", text)
    return _LINK.sub(rf"[\1]({url}/blob/HEAD/\2)", text)


def addresses(url: str) -> dict[str, str]:
    """The addresses beside the description."""
    paper = {"Paper": _PAPER}
    if not url:
        return paper
    return {
        "Homepage": url,
        "Documentation": f"{url}/blob/HEAD/docs/tutorial.md",
        "Changes": f"{url}/blob/HEAD/CHANGELOG.md",
        "Issues": f"{url}/issues",
        **paper,
    }
