"""Run an experiment: `python -m experiments NAME`, with --help for what each one takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments import gem, multiclass, optimum, rotations

_DEFAULT_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


def main() -> None:
    """Print the table of the experiment that was asked for."""
    arguments = _parser().parse_args()
    arguments.run(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments")
    names = parser.add_subparsers(required=True, metavar="NAME")
    named = names.add_parser("optimum", help="does the default search find the optimum?")
    named.add_argument("--data", type=Path, default=_DEFAULT_DATA, help="folder of CSV files")
    named.add_argument("--gamma", type=float, nargs="+", default=[0.25, 0.5, 1.0])
    named.add_argument("--direct-starts", type=int, default=100)
    named.add_argument("--seeds", type=int, default=3, help="default fits a row")
    named.add_argument("--only", nargs="+", help="names of data sets")
    named.set_defaults(run=_optimum)
    named = names.add_parser("multiclass", help="one number for more than two classes")
    named.set_defaults(run=lambda _: multiclass.compare())
    named = names.add_parser("rotations", help="the tables of feature extraction by rotations")
    named.add_argument("--quick", action="store_true", help="fewer draws and folds")
    named.set_defaults(run=lambda arguments: rotations.compare(quick=arguments.quick))
    named = names.add_parser("gem", help="GEM on digits against raw, random and Fourier features")
    named.add_argument("--quick", action="store_true", help="fewer splits")
    named.set_defaults(run=lambda arguments: gem.compare(quick=arguments.quick))
    return parser


def _optimum(arguments: argparse.Namespace) -> None:
    optimum.compare(
        arguments.data,
        gammas=arguments.gamma,
        n_direct=arguments.direct_starts,
        seeds=range(arguments.seeds),
        only=arguments.only,
    )


if __name__ == "__main__":
    main()
