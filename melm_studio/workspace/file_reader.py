"""The reader of tables and projects that visitors upload."""

from __future__ import annotations

import sys

from melm_studio.configuration.settings import Settings
from melm_studio.reading import FileReader, OwnProcessReader, ReadingLimits
from melm_studio.tables import TABLE_JOB
from melm_studio.workspace.project.read_apart import JOB as PROJECT_JOB

JOBS = (TABLE_JOB, PROJECT_JOB)


def new_file_reader(settings: Settings) -> FileReader:
    """Return a file reader with the limits of the settings; it starts at the first file.

    On Windows, where processes do not fork, it reads in this process.
    """
    if sys.platform == "win32":
        return own_file_reader(settings)
    return FileReader(JOBS, ReadingLimits(settings.max_reader_mb, settings.max_reader_seconds))


def own_file_reader(settings: Settings) -> FileReader:
    """Return one that reads in this process, within the memory of a run."""
    return OwnProcessReader(JOBS, ReadingLimits(settings.max_run_mb, settings.max_reader_seconds))
