"""Every public name of the core is documented by an example that runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from enum import Enum

import pytest

import melm_core

MODULES = [
    "melm_core",
    *(found.name for found in pkgutil.walk_packages(melm_core.__path__, "melm_core.")),
]
PUBLIC = (
    "melm_core",
    "melm_core.base",
    "melm_core.diagnostics",
    "melm_core.evaluation",
    "melm_core.methods",
)


def examples():
    """Return every docstring that holds an example."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = (test for name in MODULES for test in finder.find(importlib.import_module(name)))
    return [test for test in found if test.examples]


def documented():
    """Return every public function and class, once.

    Constants and type aliases have no docstring of their own. Members of an enumeration are values,
    and a warning is raised for its reader: neither is called.
    """
    rooms = [importlib.import_module(name) for name in PUBLIC]
    values = {
        vars(room)[name]: name
        for room in rooms
        for name in room.__all__
        if is_called(vars(room)[name])
    }
    return [pytest.param(value, id=f"{value.__module__}.{name}") for value, name in values.items()]


def is_called(value):
    is_class = inspect.isclass(value)
    return inspect.isfunction(value) or (is_class and not issubclass(value, Enum | Warning))


@pytest.mark.parametrize("test", [pytest.param(test, id=test.name) for test in examples()])
def test_the_examples_of_a_docstring_print_what_they_say(test, capsys):
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0, capsys.readouterr().out


@pytest.mark.parametrize("value", documented())
def test_a_public_name_has_an_example(value):
    _, heading, section = inspect.getdoc(value).partition("\nExamples\n--------\n")
    assert heading
    assert doctest.DocTestParser().get_examples(section)
