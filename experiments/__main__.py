"""Run an experiment: `python -m experiments optimum --data DIR`, or `multiclass`."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments import multiclass, optimum

_DEFAULT_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


def main() -> None:
    """Print the table of the experiment that was asked for."""
    arguments = _parser().parse_args()
    if arguments.name == "multiclass":
        multiclass.compare()
        return
    optimum.compare(
        arguments.data,
        gammas=arguments.gamma,
        n_direct=arguments.direct_starts,
        seeds=range(arguments.seeds),
        only=arguments.only,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments")
    parser.add_argument("name", choices=["multiclass", "optimum"])
    parser.add_argument("--data", type=Path, default=_DEFAULT_DATA, help="folder of CSV files")
    parser.add_argument("--gamma", type=float, nargs="+", default=[0.5, 1.0])
    parser.add_argument("--direct-starts", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3, help="default fits a row")
    parser.add_argument("--only", nargs="+", help="names of data sets")
    return parser


if __name__ == "__main__":
    main()
