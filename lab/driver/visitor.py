"""A visitor of the studio in the same process: a cookie, callbacks, and routes."""

from __future__ import annotations

import atexit
import io
import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from dash import Dash
from werkzeug.datastructures import FileStorage
from werkzeug.test import TestResponse, encode_multipart

from app import create_app
from melm_studio.configuration.settings import Settings
from melm_studio.layout import ids
from melm_studio.reading import FileReader
from melm_studio.runs.execution.rows import prepared_for, split_of
from melm_studio.runs.records.stored_files import FileKind
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.protocol import RunStore
from melm_studio.tables import LabeledData
from melm_studio.workers.execute import execute_queued
from melm_studio.workspace.project.read_apart import new_file_reader


class Visitor:
    """Acts as the page in one browser: calls callbacks, and stores what they return."""

    def __init__(self, http: Any) -> None:
        self.http = http  # Flask's test client, or what acts like it
        self._callbacks = _parsed(self.http.get("/_dash-dependencies").data)
        self.values = dict(_values_of(self.http.get("/_dash-layout").data))

    @property
    def cookie(self) -> str:
        return str(self.http.get_cookie(self.cookie_name).value)

    @property
    def cookie_name(self) -> str:
        """The name that the studio gives its cookie."""
        return str(self.http.application.config["SESSION_COOKIE_NAME"])

    @property
    def owner(self) -> str:
        """The name of the visitor in the store."""
        with self.http.session_transaction() as session:
            return str(session["owner"])

    def post(
        self, component_id: str | Mapping[str, str], prop: str, value: Any, into: str = ""
    ) -> TestResponse:
        """Return the raw answer to a change of a property."""
        trigger = trigger_of(component_id, prop)
        self.values[trigger] = value
        body = self._body(self._callback(component_id, prop, into), trigger, component_id, value)
        return cast(TestResponse, self.http.post("/_dash-update-component", json=body))

    def fire(
        self, component_id: str | Mapping[str, str], prop: str, value: Any, into: str = ""
    ) -> dict[str, Any]:
        """Change a property, and return the changes on the page, by "id.property".

        If several callbacks listen, `into` is part of an output of the intended one.
        """
        answer = self.post(component_id, prop, value, into)
        assert answer.status_code in (200, 204), answer.text
        assert "Traceback" not in answer.text
        response = cast(dict[str, Any], answer.json)["response"] if answer.text else {}
        changes = {
            f"{name}.{changed}": new
            for name, props in response.items()
            for changed, new in props.items()
        }
        self.values |= changes
        return changes

    def send(self, raw: bytes, name: str) -> TestResponse:
        """Upload a file, and return the raw answer."""
        # Encoded here, since the client would leave its temporary file open.
        boundary, body = encode_multipart({"file": FileStorage(io.BytesIO(raw), name)})
        kind = f"multipart/form-data; boundary={boundary}"
        return cast(TestResponse, self.http.post("/upload", data=body, content_type=kind))

    def upload(self, raw: bytes, name: str = "table.csv") -> dict[str, str]:
        answer = self.send(raw, name)
        assert answer.status_code == 200, answer.text
        return cast(dict[str, str], answer.json)

    def choose_file(self, raw: bytes, name: str = "table.csv", **changes: Any) -> dict[str, Any]:
        return self.choose({"kind": "upload", **self.upload(raw, name), **changes})

    def choose_sample(self, key: str) -> dict[str, Any]:
        return self.choose({"kind": "sample", "key": key})

    def choose(self, source: Mapping[str, Any]) -> dict[str, Any]:
        chosen = {"label": None, "standardize": True, **source}
        return self.fire(ids.CHOICE, "data", chosen)

    def open_table(self) -> None:
        """Open the dialog of the table, as far as its parts know."""
        self.values[f"{ids.TABLE_SHOWN}.data"] = self.values[f"{ids.DATA}.data"]

    def press_run(self, **controls: Any) -> dict[str, Any]:
        """Set controls such as `method` or `n_init`, and press Run; what is there runs again."""
        self.set_controls(**controls)
        answer = self.post_run()
        is_offered = "same" in cast(dict[str, Any], answer.json)
        return self.told(self.post_run(again=True) if is_offered else answer)

    def press_run_of_compare(self, **controls: Any) -> dict[str, Any]:
        """Set controls, and press Run of the form of a batch."""
        self.set_controls(**controls)
        batch = {
            "methods": self.values[f"{ids.BATCH_METHODS}.value"],
            "gammas": self.values[f"{ids.BATCH_GAMMAS}.value"],
            "both": self.values[f"{ids.BATCH_BOTH}.checked"],
        }
        return self.told(self.http.post("/runs/batch", json=self._new_run() | batch))

    def set_controls(self, **controls: Any) -> None:
        """Set controls such as `method` or `n_init`."""
        self.values |= {
            f"{name.replace('_', '-')}.value": value for name, value in controls.items()
        }

    def post_run(self, **changes: Any) -> TestResponse:
        """Return the raw answer to a press of Run."""
        return cast(TestResponse, self.http.post("/runs", json=self._new_run() | changes))

    def told(self, answer: TestResponse) -> dict[str, Any]:
        """What the page says and lists after an answer to Run, which is no error of the server."""
        assert answer.status_code < 500 or answer.status_code == 507, answer.text
        body = cast(dict[str, Any], answer.json)
        self.values[f"{ids.RUN_ERROR}.children"] = body.get("words")
        return {f"{ids.RUN_ERROR}.children": body.get("words")} | {
            name: body[name] for name in ("runs", "panels", "revision", "notice") if name in body
        }

    def _new_run(self) -> dict[str, Any]:
        """What the page sends to start a run: the data, and what the controls hold."""
        controls = {
            "method": ids.METHOD,
            "n_components": ids.N_COMPONENTS,
            "gamma": ids.GAMMA,
            "n_init": ids.N_INIT,
            "random_state": ids.RANDOM_STATE,
            "held_out_percent": ids.HELD_OUT,
            "curves": ids.CURVES,
        }
        form = {name: self.values[f"{control}.value"] for name, control in controls.items()}
        own = {part["id"]["name"]: self._value(part, "value") for part in self._parts("setting")}
        is_auto = bool(self.values[f"{ids.GAMMA_AUTO}.data"])
        data = self.values.get(f"{ids.DATA}.data")
        return {"data": data, "form": form | {"is_auto": is_auto, "own": own}}

    def start(self, **controls: Any) -> str:
        """Start a run and return its id.

        By default with one start, and a quarter of the rows held out: scores need no refits then.
        """
        self.press_run(**{"n_init": 1, "held_out": 25} | controls)
        return self.panels()[-1]

    def command(self, run: str, command: str) -> dict[str, Any]:
        """Send a run command, as the buttons of a panel do."""
        answer = self.http.post(f"/runs/{run}/{command}", json={})
        assert answer.status_code in (200, 201), answer.text
        return cast(dict[str, Any], answer.json)

    def listed(self) -> list[dict[str, str]]:
        """Return what the panels of the shown data are made from, in order."""
        answer = self.http.post("/panels", json=self.values[f"{ids.DATA}.data"])
        assert answer.status_code == 200, answer.text
        return cast(list[dict[str, str]], answer.json["panels"])

    def panels(self) -> list[str]:
        """Return the runs that have a panel, in order; none before there are data."""
        has_data = self.values.get(f"{ids.DATA}.data") is not None
        return [panel["run"] for panel in self.listed()] if has_data else []

    def frames(self, *runs: str) -> dict[str, Any]:
        """Return the progress of runs, each given as an id or as "id:sequence"."""
        answer = self.http.get("/frames", query_string={"run": runs})
        assert answer.status_code == 200, answer.text
        return cast(dict[str, Any], strict_json(answer.text))

    def news(self, run: str) -> dict[str, Any]:
        """Return the progress of one run."""
        return cast(dict[str, Any], self.frames(run)["runs"][run.partition(":")[0]])

    def _callback(
        self, component_id: str | Mapping[str, str], prop: str, into: str
    ) -> dict[str, Any]:
        (found,) = (
            callback
            for callback in self._callbacks
            if any(_is_for(entry, component_id, prop) for entry in callback["inputs"])
            and into in callback["output"]
            and not callback.get("clientside_function")  # those are the browser's
        )
        return cast(dict[str, Any], found)

    def _body(
        self, callback: Mapping[str, Any], trigger: str, component_id: Any, value: Any
    ) -> dict[str, Any]:
        return {
            "output": callback["output"],
            "outputs": declared_outputs(callback["output"]),
            "inputs": [self._argument(entry, component_id, value) for entry in callback["inputs"]],
            "state": [self._state(entry) for entry in callback["state"]],
            "changedPropIds": [trigger],
        }

    def _argument(self, entry: Mapping[str, str], component_id: Any, value: Any) -> Any:
        asked = self._state(entry)
        if not is_pattern(entry["id"]) or not _is_for(entry, component_id, entry["property"]):
            return asked
        others = [argument for argument in asked if argument["id"] != component_id]
        if len(others) < len(asked):
            return asked
        return [*others, {"id": component_id, "property": entry["property"], "value": value}]

    def _state(self, entry: Mapping[str, str]) -> Any:
        prop = entry["property"]
        if is_pattern(entry["id"]):
            return [
                {"id": part["id"], "property": prop, "value": self._value(part, prop)}
                for part in self._parts(json.loads(entry["id"])["type"])
            ]
        known = self.values.get(f"{entry['id']}.{prop}")
        return {"id": entry["id"], "property": prop, "value": known}

    def _parts(self, kind: str) -> list[dict[str, Any]]:
        """The components on the page with an id of that type, each once."""
        trees = [value for value in self.values.values() if isinstance(value, (dict, list))]
        named = {
            trigger_of(part["props"]["id"], ""): part["props"]
            for tree in trees
            for part in components(tree)
            if isinstance(part["props"].get("id"), dict) and part["props"]["id"]["type"] == kind
        }
        return list(named.values())

    def _value(self, part: Mapping[str, Any], prop: str) -> Any:
        return self.values.get(trigger_of(part["id"], prop), part.get(prop))

    def set_own(self, name: str, value: Any) -> None:
        """Set a control of the chosen method's own settings."""
        self.values[trigger_of(ids.setting(name), "value")] = value


# No test repeats its requests.
_PATIENCE_S = 600.0


@dataclass(frozen=True)
class Studio:
    """An app with its own store."""

    app: Dash
    store: RunStore

    def visitor(self, cookie: str | None = None) -> Visitor:
        visitor = Visitor(self.app.server.test_client())
        if cookie is not None:
            visitor.http.set_cookie(visitor.cookie_name, cookie)
        return visitor

    def data_of(self, visitor: Visitor) -> LabeledData:
        """Return the data set that the visitor's page shows."""
        raw = self.store.get_file(
            visitor.owner, FileKind.DATA, visitor.values[f"{ids.DATA}.data"]["id"]
        )
        assert raw is not None
        return LabeledData.from_bytes(raw)

    def parts_of(self, visitor: Visitor, run: str) -> tuple[LabeledData, LabeledData]:
        """Return the training and held-out rows of a run on the data that the page shows."""
        record = self.store.get(run)
        assert record is not None
        return split_of(prepared_for(self.data_of(visitor), record), record)

    def work(self) -> None:
        """Work the queue to its end."""
        execute_queued(self.store)


@contextmanager
def opened_studio(folder: Path, **settings: Any) -> Generator[Studio]:
    """Open a studio that stores everything in a folder."""
    chosen = Settings(data_dir=folder, **settings)
    store = DiskRunStore(folder, chosen.limits)
    yield Studio(create_app(chosen, store, shared_reader()), store)
    store.close()


@cache
def shared_reader() -> FileReader:
    """What reads files for all studios of this process, as it takes seconds to start."""
    reader = new_file_reader(Settings(data_dir=Path()), patience_s=_PATIENCE_S)
    atexit.register(reader.close)
    return reader


@cache
def _parsed(body: bytes) -> Any:
    """Parsed once for all visitors of a studio."""
    return json.loads(body)


@cache
def _values_of(layout: bytes) -> dict[str, Any]:
    return {
        f"{name}.{prop}": value
        for component in components(_parsed(layout))
        if isinstance(name := component["props"].get("id"), str)
        for prop, value in component["props"].items()
    }


def components(tree: Any) -> Iterator[dict[str, Any]]:
    """Every component of a layout in JSON, in any property."""
    if isinstance(tree, dict):
        if "props" in tree:
            yield tree
        for part in tree.values():
            yield from components(part)
    if isinstance(tree, list):
        for part in tree:
            yield from components(part)


def is_pattern(component_id: str) -> bool:
    return component_id.startswith("{")


def strict_json(text: str) -> Any:
    """Parse JSON as browsers do, without NaN and infinities."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def trigger_of(component_id: str | Mapping[str, str], prop: str) -> str:
    if isinstance(component_id, str):
        return f"{component_id}.{prop}"
    return f"{json.dumps(component_id, sort_keys=True, separators=(',', ':'))}.{prop}"


def _is_for(entry: Mapping[str, str], component_id: str | Mapping[str, str], prop: str) -> bool:
    if entry["property"] != prop or is_pattern(entry["id"]) == isinstance(component_id, str):
        return False
    if isinstance(component_id, str):
        return entry["id"] == component_id
    return bool(json.loads(entry["id"])["type"] == component_id["type"])


def declared_outputs(output: str) -> Any:
    """Split an output such as "..a.x...b.y.." into ids and properties, as Dash's page does."""
    several = output.startswith("..")
    names = output.removeprefix("..").removesuffix("..").split("...")
    outputs = [dict(zip(("id", "property"), name.rsplit(".", 1), strict=True)) for name in names]
    return outputs if several else outputs[0]
