"""What ``celery -A worker.celery_app worker`` starts, by the settings of the environment."""

from __future__ import annotations

import os

from worker.celery_worker import celery_worker
from worker.settings import Settings

app = celery_worker(Settings.from_environment_and_flags([], os.environ))
