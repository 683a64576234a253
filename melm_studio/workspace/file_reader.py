"""The reader of tables and projects that visitors upload."""

from __future__ import annotations

from melm_studio.configuration.settings import Settings
from melm_studio.reading import FileReader, ReadingLimits
from melm_studio.tables import TABLE_JOB
from melm_studio.workspace.project.read_apart import JOB as PROJECT_JOB


def new_file_reader(settings: Settings) -> FileReader:
    """Return a file reader with the limits of the settings; it starts at the first file."""
    limits = ReadingLimits(settings.max_reader_mb, settings.max_reader_seconds)
    return FileReader([TABLE_JOB, PROJECT_JOB], limits)
