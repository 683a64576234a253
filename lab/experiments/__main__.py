"""Run an experiment: `python -m lab.experiments NAME`, with --help for what each one takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from lab.experiments import gem, honesty, kernel_machines, optimum, page, rotations
from lab.experiments.questions import (
    batches,
    multiclass,
    neighbor_maps,
    published,
    resamples,
    rivals,
    sparsity,
)
from lab.experiments.records import DEFAULT_DATA, DEFAULT_RESULTS, Settings
from lab.experiments.report import as_markdown, write
from lab.experiments.reports import COMPARISONS, REPORTS

_ALL = "all"


def main() -> None:
    """Run the experiment named on the command line."""
    arguments = argument_parser().parse_args()
    arguments.run(arguments)


def argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab.experiments")
    names = parser.add_subparsers(required=True, metavar="NAME")
    for name, (_, words) in REPORTS.items():
        _add_report(names.add_parser(name, help=words), [name])
    _add_report(names.add_parser(_ALL, help="all of the above"), list(REPORTS))
    for name, (_, words) in COMPARISONS.items():
        _add_report(names.add_parser(name, help=words), [name])
    named = names.add_parser(
        "page", help="write docs/results/reproducing-the-tables.md from the results"
    )
    named.add_argument("--data", type=Path, default=DEFAULT_DATA)
    named.add_argument("--results", type=Path, default=DEFAULT_RESULTS)
    named.add_argument("--only", nargs="+", choices=REPORTS, default=list(REPORTS), metavar="NAME")
    named.set_defaults(run=lambda a: page.update(Settings(data=a.data, results=a.results), a.only))
    _add_questions(names)
    return parser


def _add_report(named: argparse.ArgumentParser, reports: list[str]) -> None:
    named.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the data sets")
    named.add_argument("--results", type=Path, default=DEFAULT_RESULTS, help="folder to write to")
    named.add_argument(
        "--quick", action="store_true", help="reduced version, written to quick/ in the results"
    )
    named.add_argument("--jobs", type=int, default=2, help="number of processes (default 2)")
    named.add_argument(
        "--no-compute", action="store_true", help="tabulate only what has been computed"
    )
    named.set_defaults(run=lambda arguments: _report(arguments, reports))


def _report(arguments: argparse.Namespace, names: list[str]) -> None:
    settings = Settings(
        data=arguments.data,
        results=arguments.results / "quick" if arguments.quick else arguments.results,
        quick=arguments.quick,
        n_jobs=arguments.jobs,
        computes=not arguments.no_compute,
    )
    for name in names:
        make, _ = {**REPORTS, **COMPARISONS}[name]
        report = make(settings)
        write(report, settings.results)
        print(as_markdown(report))


def _add_questions(names: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the experiments that print their results as they run."""
    named = names.add_parser("optimum", help="does the default search find the optimum?")
    named.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of CSV files")
    named.add_argument("--gamma", type=float, nargs="+", default=[0.25, 0.5, 1.0])
    named.add_argument("--direct-starts", type=int, default=100)
    named.add_argument("--seeds", type=int, default=3, help="number of default fits per row")
    named.add_argument("--only", nargs="+", help="names of data sets")
    named.set_defaults(run=_optimum)
    named = names.add_parser("batch", help="what it costs to be blind to a batch")
    named.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of CSV files")
    named.set_defaults(run=lambda arguments: batches.compare(arguments.data))
    named = names.add_parser("resamples", help="how far planes turn between resamples")
    named.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of CSV files")
    named.set_defaults(run=lambda arguments: resamples.compare(arguments.data))
    named = names.add_parser("sparse", help="how many features does a plane need?")
    named.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of CSV files")
    named.add_argument("--method", default="lda", help="key of the method (default lda)")
    named.set_defaults(run=lambda arguments: sparsity.compare(arguments.data, arguments.method))
    named = names.add_parser("rivals", help="SQFA and ULCA beside LDA and MELM")
    named.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of CSV files")
    named.set_defaults(run=lambda arguments: rivals.compare(arguments.data))
    named = names.add_parser("neighbor-maps", help="t-SNE and UMAP beside LDA and PCA, held out")
    named.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of CSV files")
    named.set_defaults(run=lambda arguments: neighbor_maps.compare(arguments.data))
    named = names.add_parser("published", help="PLS-DA and OPLS-DA beside the values of ropls")
    named.add_argument("file", type=Path, help="sacurine.csv, exported from ropls")
    named.set_defaults(run=lambda arguments: published.compare(arguments.file))
    named = names.add_parser("honesty", help="do the numbers that are shown keep their promises?")
    named.add_argument("--only", nargs="+", choices=honesty.CLAIMS, default=[], help="claims")
    form = named.add_mutually_exclusive_group()
    form.add_argument("--quick", action="store_true", help="fewer tables")
    form.add_argument("--keep", action="store_true", help="write the pages of docs from it")
    named.add_argument("--in-full", action="store_true", help="every figure of long tables")
    named.set_defaults(
        run=lambda a: honesty.compare(a.only, quick=a.quick, in_full=a.in_full, keep=a.keep)
    )
    named = names.add_parser("multiclass", help="compare the multi-class objectives")
    named.set_defaults(run=lambda _: multiclass.compare())
    named = names.add_parser("rotations", help="compare the solvers of rotations")
    named.add_argument("--quick", action="store_true", help="fewer draws and folds")
    named.set_defaults(run=lambda arguments: rotations.compare(quick=arguments.quick))
    named = names.add_parser(
        "gem", help="GEM on digits, compared with raw, random and Fourier features"
    )
    named.add_argument("--quick", action="store_true", help="fewer splits")
    named.set_defaults(run=lambda arguments: gem.compare(quick=arguments.quick))
    named = names.add_parser(
        "kernel-machines", help="accuracy of approximations of kernel machines"
    )
    named.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of CSV files")
    named.add_argument("--quick", action="store_true", help="fewer splits")
    named.set_defaults(run=lambda a: kernel_machines.compare(a.data, quick=a.quick))


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
