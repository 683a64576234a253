"""A promise of the studio about its numbers, and what a simulation of it measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

# What is chosen by simulation is chosen on tables of smaller seeds.
FIRST_SEED = 1_000


@dataclass(frozen=True)
class Measured:
    """One figure of a simulation.

    Attributes
    ----------
    case : str
        What is measured, on which tables.
    value : float
    wanted : tuple of float
        The least and the largest value that keeps the promise.
    before : str
        What was measured before the promise was made; empty if nothing.
    """

    case: str
    value: float
    wanted: tuple[float, float]
    before: str = ""

    @property
    def holds(self) -> bool:
        """Whether the value is as wanted."""
        least, most = self.wanted
        return least <= self.value <= most


# Given whether to take the quick form, of a few seconds.
Simulation: TypeAlias = Callable[[bool], tuple[Measured, ...]]


@dataclass(frozen=True)
class Claim:
    """A promise and its simulation.

    Attributes
    ----------
    name : str
        Of the command line.
    promise : str
        A sentence.
    simulate : callable
        Given whether to take the quick form; returns the figures.
    """

    name: str
    promise: str
    simulate: Simulation


def as_table(claim: Claim, figures: tuple[Measured, ...]) -> str:
    """The figures of a claim as a section of Markdown."""
    lines = [
        f"## {claim.name}",
        "",
        claim.promise,
        "",
        "| measured | before | now | wanted | |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    for figure in figures:
        least, most = figure.wanted
        verdict = "holds" if figure.holds else "**does not hold**"
        lines.append(
            f"| {figure.case} | {figure.before} | {figure.value:.3f} | "
            f"{least:.3g} to {most:.3g} | {verdict} |"
        )
    return "\n".join(lines) + "\n"
