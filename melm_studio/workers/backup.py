"""A copy of a studio's folder, made while it runs: ``python -m melm_studio.workers.backup FOLDER``.

The data folder is that of the settings. To restore, stop the studio and put the copy in its place.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from melm_studio.configuration.settings import Settings

_DATABASE = "cache.db"
_EXISTS = "{} exists already; name a new folder for the copy."
_FAILED = (
    "The database in {data_dir} could not be copied to {target} ({error}). Free some space there, "
    "or name a folder on another disk; if the database is damaged, use an earlier copy."
)
_NO_STORE = "{} holds no studio; name its folder by MELM_DATA_DIR."


def back_up(data_dir: Path, target: Path) -> None:
    """Copy a studio's folder as it is at one moment, without stopping its work.

    Parameters
    ----------
    data_dir : path
    target : path
        Created; readable by this user only.

    Raises
    ------
    FileExistsError
        If the target exists.
    FileNotFoundError
        If the data folder holds no studio.
    OSError, sqlite3.Error
        If it cannot be copied, for example for want of space; nothing of the copy remains.
    """
    database = data_dir / "store" / _DATABASE
    if not database.is_file():
        raise FileNotFoundError(_NO_STORE.format(data_dir))
    if target.exists():
        raise FileExistsError(_EXISTS.format(target))
    try:
        _copy(data_dir, target)
    except (OSError, sqlite3.Error):
        shutil.rmtree(target, ignore_errors=True)  # half a copy would look like a whole one
        raise


def _copy(data_dir: Path, target: Path) -> None:
    database = data_dir / "store" / _DATABASE
    (target / "store").mkdir(mode=0o700, parents=True)
    target.chmod(0o700)
    _copy_database(database, target / "store" / _DATABASE)
    for name in _files_of(target / "store" / _DATABASE):
        # A file that was deleted after the database was copied is missed by nobody.
        with suppress(FileNotFoundError):
            (target / "store" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(data_dir / "store" / name, target / "store" / name)
    shutil.copy2(data_dir / "secret", target / "secret")


def _copy_database(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as reader, closing(sqlite3.connect(target)) as writer:
        reader.backup(writer)
    target.chmod(0o600)


def _files_of(database: Path) -> list[str]:
    """Return the files of large values beside the database; they never change."""
    query = "SELECT filename FROM Cache WHERE filename IS NOT NULL"
    with closing(sqlite3.connect(database)) as copy:
        return [name for (name,) in copy.execute(query)]


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Back up the folder of the settings."""
    parser = argparse.ArgumentParser(prog="python -m melm_studio.workers.backup")
    parser.add_argument("target", type=Path, help="the folder of the copy, which is created")
    target = parser.parse_args(arguments).target
    settings = Settings.from_environment_and_flags([], environment)
    try:
        back_up(settings.data_dir, target)
    except sqlite3.Error as error:
        sys.exit(_FAILED.format(data_dir=settings.data_dir, target=target, error=error))
    except OSError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:], os.environ)
