"""Every callback and every route, called by a visitor with all that the page of another holds.

Both are found by themselves: a callback or route that is added is tried without a line here.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, TypeVar

import msgspec
import numpy as np
import pytest

from callbacks.addresses import Guard, address_of
from callbacks.guards.known_requests import argument_types
from lab.driver.visitor import Studio, Visitor, declared_outputs, is_pattern, trigger_of
from melm_studio.layout import ids
from tests.callbacks.every_route import address, asked_for, example, names_of, noted, rules

T = TypeVar("T")

# A link that says whose browser this becomes is that visitor's own to give away.
_GIVEN_AWAY = {"links_and_tokens.question", "links_and_tokens.recover"}
# Answers a random secret of the visitor's own.
_MAKING = {
    "access.POST /tokens",
    "links_and_tokens.make_recovery_link",
    "links_and_tokens.make_token",
}
# View options would break rules of theirs before the run is looked up.
_OTHER_NAMES = {
    "scheme",
    "n_top_features",
    "edits",
    "view_angle",
    "batch_weight",
    "places",
    "gamma",
    "morph",
    "plane",
    "height",
}
# What differs between two answers to the same request.
_SELF_WILLED = re.compile(r'"took":[0-9.]+|"end_id":"[^"]*"|[?]m=[0-9.]+|[0-9]+ s ago')
CALLBACK = "/_dash-update-component"
# Those that answer their owner otherwise than somebody else, at least.
_LEAST_TELLING_CALLBACKS, _LEAST_TELLING_ROUTES = 4, 25


@dataclass(frozen=True)
class Page:
    """What a visitor has."""

    visitor: Visitor
    run: str
    about: dict[str, str]
    talk: str
    upload: dict[str, str]
    grant: str

    @property
    def names(self) -> list[Any]:
        """All ids by which a request could ask for it."""
        data = self.visitor.values[f"{ids.DATA}.data"]
        runs = [self.run, *self.about.values()]
        return [
            *runs,
            runs,
            data,
            data["source"],
            data["id"],
            self.talk,
            self.upload["key"],
            self.grant,
        ]


# What is computed about a run is a run of its own, of whatever kind: one of them in the gate.
@pytest.fixture(
    scope="module",
    params=[("check",), pytest.param(("check", "resamples", "sparse"), marks=pytest.mark.slow)],
    ids=["a check", "every analysis"],
)
def theirs(request, studio) -> Page:
    """A visitor who has one of everything."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(60, 3)) + np.arange(60)[:, None] % 3
    body = "\n".join(
        ",".join([*map(str, row), ("a", "b", "c")[i % 3]]) for i, row in enumerate(rows)
    )
    visitor = studio.visitor()
    upload = visitor.upload(f"height,width,depth,label\n{body}\n".encode())
    visitor.choose({"kind": "upload", **upload})
    run = visitor.start(method="pca")
    studio.work()
    for kind in request.param:  # as they wait to be computed
        visitor.http.post(f"/runs/{run}/analyses/{kind}", json={})
    data = visitor.values[f"{ids.DATA}.data"]
    visitor.http.post(f"/rankings/{data['id']}", json=data)
    visitor.http.post("/talk", json={"names": True})
    visitor.http.post("/talk/shown", json={"run": run, "plane": 0})
    visitor.open_table()
    visitor.values |= {
        f"{ids.MODE}.value": "compare",
    }
    records = studio.store.runs_of(visitor.owner)
    about = {record.kind: record.run_id for record in records if record.run_id != run}
    assert set(about) == {*request.param, "ranking"}
    talk = studio.store.talks.of_owner(visitor.owner)
    grant = visitor.http.post("/api/v1/tokens").json["id"]
    return Page(visitor, run, about, talk.talk_id, upload, grant)


def state_of(studio: Studio, theirs: Page) -> Any:
    """All that is stored of a visitor."""
    store, owner = studio.store, theirs.visitor.owner
    records = store.runs_of(owner)
    return (
        records,
        [store.history_size(record.run_id).n_bytes for record in records],
        [store.report(record.run_id) for record in records],
        [store.request(record.run_id) for record in records],
        sorted((file.kind, file.key) for file in store.files_of(owner)),
        store.grants.of_owner(owner),
        store.talks.get(theirs.talk),
        store.talks.view(theirs.talk),
    )


def once(sent: Iterable[T]) -> Iterator[T]:
    """Leave out what was sent before, as where a request has no place for an id."""
    known = set[str]()
    for each in sent:
        if (text := json.dumps(each)) not in known:
            known.add(text)
            yield each


def calls(studio: Studio, theirs: Page) -> Iterator[dict[str, Any]]:
    """Each callback of the server, with what the page has, and with each id in its open places."""
    for output, callback in studio.app.callback_map.items():
        if "callback" not in callback:  # the browser's own
            continue
        own, of_rest = argument_types(inspect.unwrap(callback["callback"]))
        for name in (None, *theirs.names):
            kinds = chain(own, repeat(of_rest))
            inputs = [_argument(theirs, entry, next(kinds), name) for entry in callback["inputs"]]
            state = [_argument(theirs, entry, next(kinds), name) for entry in callback["state"]]
            outputs = declared_outputs(output)
            body = {"output": output, "outputs": outputs, "inputs": inputs, "state": state}
            for sent in inputs:
                first = sent[0] if isinstance(sent, list) else sent
                yield body | {"changedPropIds": [trigger_of(first["id"], first["property"])]}


def _argument(theirs: Page, entry: dict[str, str], kind: Any, name: Any) -> Any:
    """A property as the page has it, or a name where it has nothing or what a script has put.

    It is of the type that the callback takes, in which a name stands wherever text may be any.
    """
    component, prop = entry["id"], entry["property"]
    if is_pattern(component):
        declared = json.loads(component)
        part = {key: "0" if value == ["ALL"] else value for key, value in declared.items()}
        (value,) = _typed([part if prop == "id" else name], kind, name) or [None]
        return [{"id": part, "property": prop, "value": value}]
    known = theirs.visitor.values.get(f"{component}.{prop}")
    is_open = known is None or prop == "data"
    value = name if is_open and name is not None else known
    return {"id": component, "property": prop, "value": _typed(value, kind, name)}


def _typed(value: Any, kind: Any, name: Any) -> Any:
    """A value if it is of a type; else one that is, with a name in its text."""
    for tried in (value, 1, example(kind, name if isinstance(name, str) else "x")):
        try:
            msgspec.convert(tried, kind)
        except msgspec.ValidationError:
            continue
        if tried is not None:
            return tried
    return None


def requests(studio: Studio, theirs: Page) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Each route with the ids of the page in its path, its query and its body."""
    paths = {"sequence": 0, "row": 1, "feature": 0, "n_features": 2, "key": "crescents"}
    paths |= {"kind": "check", "command": "stop", "name": "security", "filename": "x", "path": "x"}
    for method, rule in rules(studio):
        is_of_talk = address_of(rule).guard is Guard.VIEWER
        if is_of_talk or rule.endpoint in _GIVEN_AWAY | _MAKING:
            continue
        for run in (theirs.run, *theirs.about.values()):
            own = {"run_id": run, "ticket": run, "talk_id": theirs.talk}
            own["data_id"] = theirs.visitor.values[f"{ids.DATA}.data"]["id"]
            own |= dict.fromkeys(("token_id", "grant_id"), theirs.grant)
            path = address(rule, paths | own)
            with noted(studio) as asked:
                yield rule.endpoint, method, path, {"json": {}} if method == "POST" else {}
            for text in (run, theirs.upload["key"]):
                query = dict.fromkeys([*asked.names, *names_of(asked.models)], text)
                query = {name: text for name, text in query.items() if name not in _OTHER_NAMES}
                yield rule.endpoint, method, path, {"query_string": query}
                for model in asked.models if method == "POST" else ():
                    body = example(model, text)
                    yield rule.endpoint, method, path, {"json": body, "query_string": query}
            if "run_id" not in rule.arguments:
                break


def unknown(theirs: Page, sent: Any) -> Any:
    """The same with ids of the same form that nothing has."""
    text = json.dumps(sent)
    for name in _ids(theirs):
        text = text.replace(name, _other(name))
    return json.loads(text)


def _ids(theirs: Page) -> list[str]:
    data = theirs.visitor.values[f"{ids.DATA}.data"]
    own = theirs.talk, theirs.upload["key"], theirs.grant
    return [theirs.run, *theirs.about.values(), data["id"], *own]


def _other(name: str) -> str:
    """An id of the same form, and with the same beginning, which some sentences repeat."""
    return f"{name[:-4]}0000"


def asked(visitor: Visitor, method: str, path: str, sent: Any) -> tuple[int, str]:
    """The status and the text of an answer."""
    answer = asked_for(visitor, method, path, **sent)
    return answer.status_code, answer.get_data().decode(errors="replace")


def difference(stranger: Visitor, theirs: Page, method: str, path: str, sent: Any) -> Any:
    """What a stranger learns who asks for these ids, rather than for some that nothing has."""
    status, text = asked(stranger, method, path, sent)
    otherwise = unknown(theirs, [path, sent])
    expected_status, expected = asked(stranger, method, *otherwise)
    for name in _ids(theirs):
        expected = expected.replace(_other(name), name)
    status_and_text = status, _SELF_WILLED.sub("", text)
    otherwise = expected_status, _SELF_WILLED.sub("", expected)
    return None if status_and_text == otherwise else (status, expected_status, text[:200])


@pytest.mark.attack
def test_no_callback_tells_or_changes_anything_of_another_visitor(studio, theirs):
    before, stranger = state_of(studio, theirs), studio.visitor()
    found = [
        (body["output"][:80], body["changedPropIds"], learned)
        for body in once(calls(studio, theirs))
        if (learned := difference(stranger, theirs, "POST", CALLBACK, {"json": body}))
    ]
    assert found == []
    assert state_of(studio, theirs) == before


@pytest.mark.attack
def test_no_route_tells_or_changes_anything_of_another_visitor(studio, theirs):
    before, stranger = state_of(studio, theirs), studio.visitor()
    found = [
        (endpoint, path, sent, learned)
        for endpoint, method, path, sent in once(requests(studio, theirs))
        if (learned := difference(stranger, theirs, method, path, sent))
    ]
    assert found == []
    assert state_of(studio, theirs) == before


def test_the_same_requests_tell_their_owner(studio, theirs):
    """Otherwise those above would prove nothing. The last test: it changes what there is."""
    own = theirs.visitor
    routes: set[str] = set()
    for endpoint, method, path, sent in once(requests(studio, theirs)):
        if (
            method == "GET"
            and endpoint not in routes
            and difference(own, theirs, method, path, sent)
        ):
            routes.add(endpoint)
            if len(routes) == _LEAST_TELLING_ROUTES:
                break
    assert len(routes) == _LEAST_TELLING_ROUTES
    callbacks: set[str] = set()
    for body in once(calls(studio, theirs)):
        output = body["output"]
        if output not in callbacks and difference(own, theirs, "POST", CALLBACK, {"json": body}):
            callbacks.add(output)
            if len(callbacks) == _LEAST_TELLING_CALLBACKS:
                break
    assert len(callbacks) == _LEAST_TELLING_CALLBACKS
