"""Installed packages, and commands that install what only some formats and ways of working need."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType

from melm_studio.application_folder import APPLICATION_FOLDER

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
