"""The faults and the attacks that are tried, each by the name of its test.

A test marked `fault` puts a fault in, one marked `attack` attacks the studio, and says by its name
what happens; a page lists them by the module that they stand in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lab.experiments.records import ROOT

# Words of names that are written otherwise in a sentence.
_WORDS = {
    r"([a-z]) s\b": r"\1's",
    r"\bctrl c\b": "Ctrl-C",
    r"\b(\d+) mb\b": r"\1 MB",
    r"\bipv6\b": "IPv6",
}


def marked(module: Path, mark: str) -> list[str]:
    """List the names of the tests of a module that have a mark.

    Parameters
    ----------
    module : Path
    mark : str
        Such as "fault".

    Returns
    -------
    list of str
        In the order of the module.
    """
    if f"pytest.mark.{mark}" not in module.read_text():
        return []  # of hundreds of modules few are worth parsing
    return [
        function.name
        for function in _parsed(module).body
        if isinstance(function, ast.FunctionDef)
        and any(ast.unparse(each) == f"pytest.mark.{mark}" for each in function.decorator_list)
    ]


def as_sentence(name: str) -> str:
    """Write the name of a test as a sentence.

    Examples
    --------
    >>> as_sentence("test_a_key_that_is_another_s_is_refused")
    "A key that is another's is refused."
    """
    words = name.removeprefix("test_").replace("_", " ")
    for pattern, written in _WORDS.items():
        words = re.sub(pattern, written, words)
    return f"{words[:1].upper()}{words[1:]}."


def page(mark: str, tests: Path = ROOT / "tests") -> str:
    """Write the page of all tests below a folder that have a mark."""
    modules = (path for path in sorted(tests.rglob("test_*.py")) if marked(path, mark))
    parts = [part for module in modules for part in _part(module, mark, tests.parent)]
    n_tests = sum(part.startswith("- ") for part in parts)
    return "\n".join([_HEADS[mark].format(n_tests=n_tests), *parts]) + "\n"


def _part(module: Path, mark: str, root: Path) -> Iterator[str]:
    subject = (ast.get_docstring(_parsed(module)) or module.stem).partition("\n")[0]
    yield f"\n## {subject.rstrip('.')}\n\n`{module.relative_to(root)}`\n"
    yield from (f"- {as_sentence(name)}" for name in marked(module, mark))


@cache
def _parsed(module: Path) -> ast.Module:
    """Parse a module of tests, which both lists are made from."""
    return ast.parse(module.read_text())


_HEADS = {
    "fault": """\
# Faults that are tried

Each line is the name of a test that puts a fault in, and fails where something else happens:
{n_tests} in all. What they mean for who runs a studio is on the page on
[reliability](../reliability.md). Written by `python -m lab.lists`.""",
    "attack": """\
# Attacks that are tried

Each line is the name of a test that attacks a studio, and fails where something else happens:
{n_tests} in all. What is protected, and how, is on the page on [security](../security.md). Written
by `python -m lab.lists`.""",
}
