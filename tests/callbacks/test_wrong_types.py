"""Every callback, with each of its values replaced by one of another type, and its calls misshapen.

Callbacks are found by themselves: one that is added is tried without a line here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pytest

from lab.driver.visitor import Studio, Visitor, declared_outputs, is_pattern, trigger_of
from melm_studio.layout import ids
from tests.callbacks.every_route import replaced

CALLBACK = "/_dash-update-component"
OF_OTHER_TYPES: tuple[Any, ...] = (
    *(None, True, 1, -1, 1e308, "x", [], {}, [[1]], {"x": None}, "x" * 100_000),
)
# Of each kind of JSON value one, for what stands around the values.
OF_EACH_KIND: tuple[Any, ...] = (None, True, -1, 1e308, "x", "x.y", [], [[1]], {}, {"x": None})
# There is no run of such a name.
ANSWERED, REFUSED, UNKNOWN = (200, 204), 400, 404
# Of the tries, one in so many is a fast test. It divides no number of values: each comes about.
EVERY = 7


@pytest.fixture(scope="module")
def visitor(studio) -> Visitor:
    visitor = studio.visitor()
    rows = "\n".join(f"{i % 7},{i % 11},{i},{'ab'[i % 2]}" for i in range(60))
    visitor.choose_file(f"height,width,depth,label\n{rows}\n".encode())
    visitor.open_table()
    visitor.start(method="pca")
    studio.work()
    visitor.values |= {
        f"{ids.MODE}.value": "compare",
    }
    for part in ("classes", "file", "rows", "recipe"):
        visitor.fire(ids.TABLE_TAB, "value", part, {"rows": "filters"}.get(part, f"{part}-form"))
    return visitor


def calls(studio: Studio, visitor: Visitor) -> Iterator[dict[str, Any]]:
    """Each callback as the page would call it, once for each of its inputs."""
    for output, callback in studio.app.callback_map.items():
        if "callback" not in callback:  # the browser's own
            continue
        inputs = [_argument(visitor, entry) for entry in callback["inputs"]]
        state = [_argument(visitor, entry) for entry in callback["state"]]
        outputs = declared_outputs(output)
        body = {"output": output, "outputs": outputs, "inputs": inputs, "state": state}
        for sent in inputs:
            first = sent[0] if isinstance(sent, list) else sent
            yield body | {"changedPropIds": [trigger_of(first["id"], first["property"])]}


def _argument(visitor: Visitor, entry: dict[str, str]) -> Any:
    component, prop = entry["id"], entry["property"]
    if not is_pattern(component):
        return {
            "id": component,
            "property": prop,
            "value": visitor.values.get(f"{component}.{prop}"),
        }
    kind = json.loads(component)
    part = {key: 0 if value == ["ALL"] else value for key, value in kind.items()}
    return [{"id": part, "property": prop, "value": part if prop == "id" else 1}]


def misfits(call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A call with each of its values replaced by each of another type."""
    for kind in ("inputs", "state"):
        for at, sent in enumerate(call[kind]):
            path = (kind, at, 0, "value") if isinstance(sent, list) else (kind, at, "value")
            for new in OF_OTHER_TYPES:
                yield replaced(call, path, new)


def misshapen(call: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A call with what stands around its values replaced: ids, names, lists."""
    pattern = isinstance(call["inputs"][0], list)
    entry = ("inputs", 0, 0) if pattern else ("inputs", 0)
    paths = [(key,) for key in call] + [("changedPropIds", 0), entry]
    paths += [(*entry, "id"), (*entry, "property"), ("inputs", 0)]
    if pattern:
        paths += [(*entry, "id", key) for key in call["inputs"][0][0]["id"]]
    for path in paths:
        for new in OF_EACH_KIND:
            yield replaced(call, path, new)


def failures(studio: Studio, visitor: Visitor, sent: Iterable[dict[str, Any]]) -> list[Any]:
    """The calls that are neither answered nor refused in a sentence that changes nothing."""
    found, before = [], stored(studio, visitor)
    for call in sent:
        answer = visitor.http.post(CALLBACK, json=call)
        after = stored(studio, visitor)
        is_refused = answer.status_code == REFUSED and answer.json["error"].endswith(".")
        is_fine = after == before if is_refused else answer.status_code in (*ANSWERED, UNKNOWN)
        if not is_fine:
            found.append((call["output"], answer.status_code, json.dumps(call)[:300]))
        before = after
    return found


def stored(studio: Studio, visitor: Visitor) -> Any:
    """What the visitor has."""
    files = studio.store.files_of(visitor.owner)
    runs = studio.store.runs_of(visitor.owner)
    return sorted((file.kind, file.key) for file in files), [
        (run.run_id, run.state) for run in runs
    ]


def first_of_each(calls: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """One call of each callback."""
    return list({call["output"]: call for call in calls}.values())


@pytest.mark.attack
def test_no_value_of_another_type_is_an_error_of_the_server(studio, visitor):
    tried = first_of_each(calls(studio, visitor))
    assert len(tried) >= 35
    unfit = (each for call in tried for each in misfits(call))
    assert failures(studio, visitor, islice(unfit, 0, None, EVERY)) == []


@pytest.mark.attack
def test_no_other_shape_of_a_call_is_an_error_of_the_server(studio, visitor):
    tried = first_of_each(calls(studio, visitor))
    misshaped = (each for call in tried for each in misshapen(call))
    assert failures(studio, visitor, islice(misshaped, 0, None, EVERY)) == []


@pytest.mark.slow
def test_nor_is_one_whatever_its_shape(studio, visitor):
    tried = first_of_each(calls(studio, visitor))
    assert failures(studio, visitor, (each for call in tried for each in misshapen(call))) == []


@pytest.mark.attack
@pytest.mark.slow
def test_nor_is_one_whatever_has_changed(studio, visitor):
    tried = list(calls(studio, visitor))
    assert failures(studio, visitor, (each for call in tried for each in misfits(call))) == []


def test_the_calls_of_the_page_itself_are_answered(studio, visitor):
    """Otherwise a refusal of everything would pass."""
    statuses = [
        visitor.http.post(CALLBACK, json=call).status_code for call in calls(studio, visitor)
    ]
    assert sum(status in ANSWERED for status in statuses) > len(statuses) / 2
