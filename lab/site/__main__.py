"""Build the site: `python -m lab.site [FOLDER]`, by default into build/site.

The documents, pages made from the code, recorded runs and an executed notebook are collected in a
folder beside it; Sphinx makes the site of them, and every warning, such as a link that leads
nowhere, is an error.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from lab.site.offline import remote_parts
from lab.site.replays import write_replays
from lab.site.sources import ROOT, write_sources
from lab.site.stories import write_story_pictures

_THEME = Path(__file__).parent / "theme"
_DIAGRAMS = ROOT / "node_modules" / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"


def main(arguments: list[str]) -> int:
    """Build; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m lab.site", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    site = parser.parse_args(arguments).folder.resolve()
    sources = site.with_name(f"{site.name}-sources")
    for folder in (sources, site):
        shutil.rmtree(folder, ignore_errors=True)
    print("Collecting pages, then recording replays.", flush=True)
    write_sources(sources)
    write_replays(sources / "files" / "replays")
    write_story_pictures(sources / "stories")
    shutil.copy(_DIAGRAMS, sources / "files")
    print("Building the site, which takes some minutes.", flush=True)
    if status := run_sphinx(sources, site):
        return status
    if remote := remote_parts(site):
        print("These would be loaded from the network:", *remote, sep="\n", file=sys.stderr)
        return 1
    print(f"The documentation is at {site / 'index.html'}")
    return 0


def run_sphinx(sources: Path, site: Path) -> int:
    """Make the site; return the exit code of Sphinx, which has printed what is wrong."""
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--fail-on-warning"]
    command += ["--keep-going", "--quiet", "--conf-dir", str(_THEME), str(sources), str(site)]
    # The kernel of the notebook imports the packages of this checkout.
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, check=False, cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
