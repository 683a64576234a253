"""The app of ``celery --app melm_studio.workers.celery_app worker``."""

from __future__ import annotations

import os

from melm_studio.configuration.settings import Settings
from melm_studio.workers.celery_worker import celery_worker

app, _ = celery_worker(Settings.from_environment_and_flags([], os.environ))
