"""The command `melm-studio`, wherever the package is installed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import shtab

from melm_core.base import UserError
from melm_core.compiled import engine
from melm_core.methods import METHODS
from melm_studio.configuration.settings import Settings
from melm_studio.installation import application, installed_version
from melm_studio.programs.agents import add_agents_parser
from melm_studio.programs.audit_table import add_audit_parser
from melm_studio.programs.local_studio import TableToOpen, answers
from melm_studio.programs.run_table import REFUSED, add_run_parser
from melm_studio.programs.verify_verdict import add_verify_parser

_DESCRIPTION = "Find the plane in which the classes of a labeled table separate, live."
_EPILOG = """\
melm-studio                                  start the studio
melm-studio open table.csv --label species   start or find it, and show a table
melm-studio run table.csv --out results      run methods without a browser
melm-studio audit map.csv --coordinates x y  is a picture of any origin real?
melm-studio verify verdict.json table.csv    does a verdict come out again?
melm-studio agents                           tools for a language model (MCP)

The first two take the settings of the studio, such as --port 9000: melm-studio --settings.
"""
_COMMANDS = ("open", "run", "audit", "verify", "agents")
_OWN_OPTIONS = ("-h", "--help", "--version", "--settings", "--print-completion")


def main(arguments: Sequence[str] | None = None) -> int:
    """Start the studio, open a table in it, or run methods or an audit without it."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] not in _COMMANDS and Path(given[0]).is_file():
        given.insert(0, "open")  # melm-studio table.csv
    if not given or given[0] not in (*_COMMANDS, *_OWN_OPTIONS):
        return _serve(given)
    options, settings = argument_parser().parse_known_args(given)
    if options.settings:
        return _serve(["--help"])
    status: int = options.command(options, settings)
    return status


def argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="melm-studio",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(command=None)
    parser.add_argument("--version", action="version", version=_version())
    parser.add_argument("--settings", action="store_true", help="list the settings of the studio")
    shtab.add_argument_to(parser, help="print a completion script for a shell")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_open_parser(commands)
    add_run_parser(commands)
    add_audit_parser(commands)
    add_verify_parser(commands)
    add_agents_parser(commands)
    return parser


def _version() -> str:
    """Return the installed version, and the implementation of sums over pairs of rows."""
    return f"melm-studio {installed_version()}, sums over pairs of rows: {engine()}"


def _add_open_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "open",
        help="show a table in the studio, which is started if it is not running",
        description="Show a table in the studio, which is started if it is not running.",
        allow_abbrev=False,
    )
    table = parser.add_argument("table", type=Path, metavar="TABLE", help="a file to show")
    table.complete = shtab.FILE  # pyrefly: ignore[missing-attribute]  # shtab reads it
    parser.add_argument(
        "--label", metavar="COLUMN", help="column of the classes (default: guessed)"
    )
    parser.add_argument(
        "--method",
        choices=list(METHODS),
        metavar="METHOD",
        help=f"run this method at once, of {', '.join(METHODS)}",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address instead")
    parser.set_defaults(command=_open)


def _open(options: argparse.Namespace, flags: Sequence[str]) -> int:
    """Hand a table to the studio at the address of the settings; start it if there is none."""
    settings = Settings.from_environment_and_flags(flags, os.environ)
    url = settings.address
    table = TableToOpen(options.table, options.label, options.method, not options.no_browser)
    if not answers(url):
        table.open_when_ready(url)
        return _serve(flags)
    try:
        table.open_at(url)
    except UserError as error:
        print(f"melm-studio: {error}", file=sys.stderr)
        return REFUSED
    return 0


def _serve(flags: Sequence[str]) -> int:
    status: int = application().main(list(flags), os.environ)
    return status
