"""The files of deploy/, as a machine reads them."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
UNITS = sorted(path.name for path in DEPLOY.glob("*.service"))


def unit(name: str, section: str = "Service") -> configparser.SectionProxy:
    """What a systemd unit says in a section; of repeated lines the last."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read(DEPLOY / name)
    return parser[section]


def command_of(name: str) -> list[str]:
    """The command of a systemd unit, its program by the bare name."""
    program, *arguments = shlex.split(unit(name)["ExecStart"])
    return [Path(program).name, *arguments]


def services() -> dict[str, dict[str, Any]]:
    """The services of the compose file."""
    return yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]


def service_command(name: str) -> list[str]:
    return shlex.split(services()[name]["command"])


def variables(text: str) -> set[str]:
    """The studio's own variables that a text names."""
    return set(re.findall(r"\bMELM_[A-Z_]+\b", text))
