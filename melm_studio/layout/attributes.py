"""HTML attributes with a hyphen, which Python keywords cannot spell."""

from __future__ import annotations

from typing import Any

# The features of a run; the script removes the controls that need others.
LINEAR = "linear"
MAP = "map"  # not linear
FLAT = "flat"
SPACE = "space"
TREE = "tree"
PLANAR = "planar"
LATENT = "latent"
MACHINE = "machine"  # a kernel machine
ONE_CLASS = "one-class"
WITHIN = "within"  # compared within subjects


def data(**values: str) -> dict[str, Any]:
    """`data-*` attributes, for example `data(sort="p")` for `data-sort="p"`.

    The values are Any to the type checker, which would otherwise compare them with every keyword
    of the component that they are unpacked into.
    """
    return _hyphenated("data", values)


def aria(**values: str) -> dict[str, Any]:
    """`aria-*` attributes, for example `aria(label="Close")` for `aria-label="Close"`."""
    return _hyphenated("aria", values)


def part(name: str) -> dict[str, Any]:
    """The name by which scripts find an element of a panel."""
    return data(part=name)


def needs(*features: str) -> dict[str, Any]:
    """The features without which the script removes the element from a run's panel."""
    return data(needs=" ".join(features))


def tip(text: str) -> dict[str, Any]:
    """An explanation that a script shows while the pointer or the focus is on the element."""
    return data(tip=text)


def _hyphenated(prefix: str, values: dict[str, str]) -> dict[str, Any]:
    names = {name: name.rstrip("_").replace("_", "-") for name in values}  # class_ is data-class
    return {f"{prefix}-{names[name]}": value for name, value in values.items()}
