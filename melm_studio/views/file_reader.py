"""What reads the files of visitors: tables and projects, each in a process of its own."""

from __future__ import annotations

from melm_studio.reading import FileReader, ReadingLimits
from melm_studio.tables import TABLE_JOB
from melm_studio.views.project.read_apart import JOB as PROJECT_JOB
from melm_studio.worker.config.settings import Settings


def new_file_reader(settings: Settings) -> FileReader:
    """Return a reader within the limits of the settings; it starts with the first file."""
    limits = ReadingLimits(settings.max_reader_mb, settings.max_reader_seconds)
    return FileReader([TABLE_JOB, PROJECT_JOB], limits)
