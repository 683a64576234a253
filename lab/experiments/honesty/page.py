"""Writes docs/results/honesty.md, and a page of each claim, from what is kept in docs/results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from lab.experiments.honesty.claim import Claim, Measured, as_tables
from lab.experiments.records import ROOT, write_atomically

RESULTS = ROOT / "docs" / "results"
PAGE = RESULTS / "honesty.md"

_PAGE = """\
# Do the numbers hold?

The studio makes promises of its numbers. Each is simulated on tables whose truth is known, real
ones and a bank of shapes (`lab/experiments/honesty/shapes.py`): normal, skewed and heavy-tailed,
correlated, rounded, with unequal classes and groups, wide.

| promise | figures | not kept |
| --- | ---: | ---: |
{lines}

## What does not hold

{exceptions}

The page of each claim says why, and what its figures do not tell. Intervals, the tail and the level
of suspects were chosen by simulation on other seeds than these. How many rows the normal density of
a class counts for was chosen by log loss on real tables, wine and sonar among them, and on the bank
of shapes.

## Measure again

```sh
python -m lab.experiments honesty                  # all claims, minutes each
python -m lab.experiments honesty --only suspects  # one of them
python -m lab.experiments honesty --quick          # a few tables of each, in seconds
python -m lab.experiments honesty --in-full        # every figure of long tables, too
python -m lab.experiments honesty --keep           # and write these pages from what was measured
```
"""


@dataclass(frozen=True)
class Kept:
    """What is known of a claim.

    Attributes
    ----------
    measured : str
        When.
    n_figures : int
    broken : tuple of tuple of str
        Of each figure that does not keep its promise: case, value and what is wanted.
    tables : str
        As the command prints them.
    """

    measured: str
    n_figures: int
    broken: tuple[tuple[str, str, str], ...]
    tables: str


def keep(claim: Claim, figures: tuple[Measured, ...]) -> None:
    """Keep the figures of a claim, and write its page."""
    found = Kept(
        measured=f"{datetime.now(UTC):%B %Y}",
        n_figures=len(figures),
        broken=tuple(
            (figure.case, figure.printed.replace("**", ""), figure.promise)
            for figure in figures
            if not figure.holds
        ),
        tables=as_tables(figures),
    )
    text = json.dumps(asdict(found), indent=1, ensure_ascii=False) + "\n"
    write_atomically(_file(claim, "json"), text)
    write_atomically(_file(claim, "md"), page_of(claim, found))


def write(claims: Mapping[str, Claim]) -> None:
    """Write the page of all claims."""
    write_atomically(PAGE, text_of(claims))


def text_of(claims: Mapping[str, Claim]) -> str:
    """The page of all claims that were measured."""
    known = [(claim, found) for claim in claims.values() if (found := kept(claim))]
    exceptions = [line for claim, found in known for line in _exceptions(claim, found)]
    return _PAGE.format(
        lines="\n".join(_line(claim, found) for claim, found in known),
        exceptions="\n".join(exceptions),
    )


def page_of(claim: Claim, found: Kept) -> str:
    """The page of a claim: its promise, its figures, and what they do not tell."""
    parts = [
        f"# {_title(claim)}",
        claim.promise,
        f"Measured by `python -m lab.experiments honesty --only {claim.name}`, {found.measured}. "
        "Under a heading is what is wanted; a figure that does not keep its promise is **bold**.",
        found.tables,
        claim.notes,
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def kept(claim: Claim) -> Kept | None:
    """What is known of a claim; None if it was not measured."""
    file = _file(claim, "json")
    if not file.exists():
        return None
    found = json.loads(file.read_text())
    found["broken"] = tuple(map(tuple, found["broken"]))
    return Kept(**found)


def _line(claim: Claim, found: Kept) -> str:
    return f"| {_link(claim)}: {claim.promise} | {found.n_figures} | {len(found.broken) or ''} |"


def _exceptions(claim: Claim, found: Kept) -> Iterator[str]:
    for case, value, promise in found.broken:
        yield f"- {_link(claim)}: {case} {value}, wanted {promise}"


def _link(claim: Claim) -> str:
    return f"[{_title(claim)}]({_file(claim, 'md').name})"


def _title(claim: Claim) -> str:
    return claim.name.replace("-", " ").capitalize()


def _file(claim: Claim, ending: str) -> Path:
    return RESULTS / f"honesty-{claim.name}.{ending}"
