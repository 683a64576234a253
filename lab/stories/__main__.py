"""Make the included stories anew: `python -m lab.stories [KEY ...]`, all of them by default."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from lab.stories.contents import CONTENTS
from lab.stories.recording import recorded
from melm_studio.configuration.settings import Settings
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.workspace.project.read_apart import own_file_reader
from melm_studio.workspace.stories import INCLUDED_STORIES
from melm_studio.workspace.workspace import Workspace


def main(arguments: list[str]) -> int:
    """Write the files of the stories; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab.stories", description=__doc__)
    parser.add_argument("keys", nargs="*", choices=[*CONTENTS, []], metavar="KEY")
    for key in parser.parse_args(arguments).keys or CONTENTS:
        with _new_workspace() as own:
            raw = recorded(own, CONTENTS[key])
        INCLUDED_STORIES[key].file.write_bytes(raw)
        print(f"{key}: {len(raw):,} bytes")
    return 0


@contextmanager
def _new_workspace() -> Generator[Workspace]:
    with tempfile.TemporaryDirectory(prefix="melm-stories-") as folder:
        settings = Settings(data_dir=Path(folder))
        store = DiskRunStore(Path(folder), settings.limits)
        with closing(store), closing(own_file_reader(settings)) as reader:
            yield Workspace(store, "stories", settings, reader)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
