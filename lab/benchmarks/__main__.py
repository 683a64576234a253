"""Measure and print: `python -m lab.benchmarks [NAME ...] [--repeats N]`."""

from __future__ import annotations

import argparse
import os
from functools import partial
from typing import Any

from lab.benchmarks.beyond_memory import beyond_memory, hundred_million
from lab.benchmarks.command import run_command
from lab.benchmarks.engines import (
    against_paper,
    break_even,
    density_grid,
    direct_and_nufft,
    paper_fit,
    without_finufft,
)
from lab.benchmarks.evaluation import evaluation, first_words
from lab.benchmarks.fit import fit, refits, small
from lab.benchmarks.gem import pairs_of_ten_classes
from lab.benchmarks.growth import growth
from lab.benchmarks.kernel_machines import approximation_of_kernel_machines
from lab.benchmarks.large_file import large_file
from lab.benchmarks.many_columns import many_columns
from lab.benchmarks.page.all_rows import all_rows
from lab.benchmarks.page.audience import audience
from lab.benchmarks.page.distance import distance
from lab.benchmarks.page.first_load import first_load
from lab.benchmarks.page.hands import gamma_drag, morph, scrub
from lab.benchmarks.page.hostile import hostile, lanes
from lab.benchmarks.page.in_sight import in_sight
from lab.benchmarks.page.leaks import leaks
from lab.benchmarks.page.live import first_frame, frame_rate, watching
from lab.benchmarks.page.load import SOAK_MINUTES, crowd, sizes, soak, watchers
from lab.benchmarks.page.panels import add_panel, long_tasks, nine_panels
from lab.benchmarks.page.tables import long, wide
from lab.benchmarks.rotations import rotations
from lab.benchmarks.scale import million
from lab.benchmarks.table import Measurement, as_text
from lab.benchmarks.wide_fit import wide_fit

BENCHMARKS = {
    "fit": fit,
    "small": small,
    "refits": refits,
    "growth": growth,
    "page": in_sight,
    "first-load": first_load,
    "first-frame": first_frame,
    "frame-rate": frame_rate,
    "distance": distance,
    "nine-panels": nine_panels,
    "add-panel": add_panel,
    "long-tasks": long_tasks,
    "all-rows": all_rows,
    "wide": wide,
    "long": long,
    "watching": watching,
    "scrub": scrub,
    "morph": morph,
    "gamma-drag": gamma_drag,
    "crowd": crowd,
    "watchers": watchers,
    "audience": audience,
    "sizes": sizes,
    "paper": against_paper,
    "paper-fit": paper_fit,
    "engines": direct_and_nufft,
    "break-even": break_even,
    "without-finufft": without_finufft,
    "grid": density_grid,
    "million": million,
    "beyond-memory": beyond_memory,
    "wide-fit": wide_fit,
    "large-file": large_file,
    "many-columns": many_columns,
    "command": run_command,
    "rotations": rotations,
    "gem": pairs_of_ten_classes,
    "evaluation": evaluation,
    "first-words": first_words,
    "kernel-machines": approximation_of_kernel_machines,
}

# Takes minutes, so it runs only by name.
LONG_BENCHMARKS = {
    "soak": soak,
    "hostile": hostile,
    "lanes": lanes,
    "leaks": leaks,
    "hundred-million": hundred_million,
}


def main() -> None:
    """Run the benchmarks named on the command line and print one table."""
    arguments = argument_parser().parse_args()
    names = arguments.names or list(BENCHMARKS)
    measurements: list[Measurement] = []
    known: dict[str, Any] = (
        BENCHMARKS | LONG_BENCHMARKS | {"soak": partial(soak, minutes=arguments.minutes)}
    )
    for name in names:
        print(f"Measuring {name} ...", flush=True)
        measurements += known[name](arguments.repeats)
    print(f"\nBreast cancer: 569 rows, 30 features, 2 classes. {os.cpu_count()} cores.\n")
    print(as_text(measurements))


def argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m lab.benchmarks", description="Speed and scale."
    )
    parser.add_argument(
        "names",
        metavar="NAME",
        nargs="*",
        type=_known,
        help="default: all except the longest",
    )
    parser.add_argument("--repeats", type=int, default=5, help="repetitions of each (default 5)")
    parser.add_argument(
        "--minutes", type=float, default=SOAK_MINUTES, help="of soak (default %(default)g)"
    )
    return parser


def _known(name: str) -> str:
    """A name of a benchmark; argparse cannot check optional ones against choices."""
    if name not in BENCHMARKS | LONG_BENCHMARKS:
        known = ", ".join(BENCHMARKS | LONG_BENCHMARKS)
        raise argparse.ArgumentTypeError(f"{name!r} is none of {known}")
    return name


if __name__ == "__main__":
    main()
