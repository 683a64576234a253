"""The settings of the studio, each by what `app.py --help` says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from melm_studio.configuration.settings import Settings, variable_of

# What the defaults of some depend on, which differs between machines.
_IN_WORDS: Mapping[str, str] = {
    "data_dir": "the user's data folder",
    "workers": "cores, at least 2",
    "max_reader_mb": "from the memory, at most 2048",
    "max_runs_mb": "from the memory",
}
_HEAD = """\
# Settings

Each is an environment variable and a flag of `app.py`, such as `MELM_MAX_ROWS` and `--max-rows`.
All processes of a studio need the same limits. Under gunicorn and Celery only the variables apply;
gunicorn has its own flags for address and threads ([deployment](../deployment.md)). Written by
`python -m lab.lists`, from what `python app.py --help` says.

| variable | default | |
|---|---|---|
"""


def page() -> str:
    """Write the page of all settings."""
    defaults = Settings(data_dir=Path())
    rows = []
    for each in fields(Settings):
        default = _IN_WORDS.get(each.name, getattr(defaults, each.name))
        rows.append(f"| `{variable_of(each.name)}` | {default} | {each.metadata['help']} |\n")
    return _HEAD + "".join(rows)
