"""An analysis of a run as its dialog asks for it."""

from __future__ import annotations

from typing import Any

import pytest

from lab.driver.visitor import strict_json


def shown(visitor, run: str, name: str, **query: Any) -> dict[str, Any]:
    """What the dialog of an analysis shows."""
    answer = visitor.http.get(f"/runs/{run}/analyses/{name}", query_string=query)
    assert answer.status_code == 200, answer.text
    return strict_json(answer.text)


def analyzed(studio, visitor, run: str, name: str) -> dict[str, Any]:
    """What the dialog shows once the analysis was asked for and has ended."""
    answer = visitor.http.post(f"/runs/{run}/analyses/{name}")
    assert answer.status_code == 201, answer.text
    studio.work()
    return shown(visitor, run, name)


def stopped_after_a_report(studio, visitor, run: str, name: str) -> str:
    """The run of an analysis that was stopped as soon as it had put a report."""
    asked = visitor.http.post(f"/runs/{run}/analyses/{name}").json["run"]
    put = studio.store.put_report

    def stop_after(run_id, raw):
        put(run_id, raw)
        visitor.http.post(f"/runs/{run}/analyses/{name}/stop")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studio.store, "put_report", stop_after)
        studio.work()
    return asked
