"""Installed here: the application beside this package, other packages, their versions.

Commands install what only some formats and ways of working need.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType, ModuleType

_IN_A_WHEEL = Path(__file__).parent / "application"

# Inside the package where that is installed, and beside it in a checkout.
APPLICATION_FOLDER = _IN_A_WHEEL if _IN_A_WHEEL.is_dir() else Path(__file__).parents[1]
# Extras of the wheel, by the file that has their exact versions in a checkout.
_PINS: Mapping[str, str] = MappingProxyType(
    {
        "agents": "requirements/dev.txt",
        "dask": "requirements/tables.txt",
        "h5ad": "requirements/files.txt",
        "notebook": "requirements/dev.txt",
        "parquet": "requirements/files.txt",
        "redis": "requirements/redis.txt",
        "signing": "requirements/dev.txt",
        "statistics": "requirements/files.txt",
        "umap": "requirements/umap.txt",
    }
)
_PACKAGES = ("numpy", "scipy", "scikit-learn", "finufft", "matplotlib")


def application(module: str = "app") -> ModuleType:
    """Import app.py, or a module of the callbacks, where needed: both have common names."""
    folder = str(APPLICATION_FOLDER)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return import_module(module)


def install_command(extra: str) -> str:
    """Return the command that installs an extra, here or where the wheel is installed.

    Parameters
    ----------
    extra : str
        ``agents``, ``dask``, ``h5ad``, ``notebook``, ``parquet``, ``redis``,
        ``signing``, ``statistics`` or ``umap``.
    """
    pins = _PINS[extra]
    if (APPLICATION_FOLDER / pins).is_file():
        return f".venv/bin/python -m pip install -r {pins}"
    return f'pip install "melm-studio[{extra}]"'


def missing_dask() -> str | None:
    """Return how to install Dask if it is not installed; a phrase for the end of a sentence."""
    is_there = find_spec("dask") is not None and find_spec("distributed") is not None
    return None if is_there else install_command("dask")


def installed_version() -> str:
    """Return the version of the studio, or say that this is a checkout."""
    return _version("melm-studio") or "from a checkout"


def package_versions() -> dict[str, str]:
    """Return the versions of the installed packages that numbers depend on, by name.

    Examples
    --------
    >>> "numpy" in package_versions()
    True
    """
    versions = {"melm-studio": installed_version(), "Python": platform.python_version()}
    return versions | {name: number for name in _PACKAGES if (number := _version(name))}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
