"""Threads that meet a type at the same time, and the one place through which all types go."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PRODUCT = ("melm_core", "melm_studio", "callbacks")
CONVERSIONS = {"msgspec.convert", "msgspec.json.decode", "msgspec.msgpack.decode"}
# Where a Struct is read for the first time, its fields' annotations are evaluated, during which
# another thread may take over; here they take over as often as they can.
RACE = """
import sys
from threading import Barrier, Thread
import msgspec
from melm_core.base.known_types import known_type

sys.setswitchinterval(1e-6)
barrier, failed = Barrier(4), []

def convert(values, kind):
    barrier.wait()
    try:
        assert msgspec.convert(values, known_type(kind)).inner.inner.c == 1
    except Exception as error:
        failed.append(error)

for number in range(40):
    names = {"msgspec": msgspec}
    exec(
        "class C(msgspec.Struct):\\n    a: 'int'\\n    b: 'list[str] | None'\\n    c: int\\n"
        "class B(msgspec.Struct):\\n    a: 'dict[str, C]'\\n    inner: 'C'\\n"
        "class A(msgspec.Struct):\\n    a: 'list[B]'\\n    inner: 'B'\\n",
        {"__name__": "__main__", **names}, names,
    )
    globals().update(names)
    c = {"a": 1, "b": ["x"], "c": 1}
    b = {"a": {"x": c}, "inner": c}
    threads = [Thread(target=convert, args=({"a": [b], "inner": b}, names["A"])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
assert not failed, failed
"""


@pytest.mark.slow
@pytest.mark.fault
def test_threads_that_meet_a_type_for_the_first_time_leave_the_process_alive():
    done = subprocess.run([sys.executable, "-c", RACE], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]


def test_every_type_that_the_product_converts_to_passes_through_there():
    modules = [path for package in PRODUCT for path in (ROOT / package).rglob("*.py")]
    types = [each for module in modules for each in types_converted_to(module)]
    assert len(types) > 15
    assert [each for each in types if not each.startswith("known_type(")] == []


def types_converted_to(module: Path) -> Iterator[str]:
    """The second argument of msgspec's functions, as it is written."""
    source = module.read_text()
    if "msgspec" not in source:  # few of hundreds are worth parsing
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in CONVERSIONS:
            kinds = [*node.args[1:2], *(one.value for one in node.keywords if one.arg == "type")]
            yield from map(ast.unparse, kinds)
