"""What a check needs of a store, for tests of what it finds."""

from __future__ import annotations

from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.run import RunRequest


class Reports:
    """A store that has nothing of a run, and keeps all that a check puts there."""

    def __init__(self) -> None:
        self.known: list[CheckReport] = []

    def put_report(self, _run_id, raw) -> None:
        self.known.append(CheckReport.from_bytes(raw))

    def request(self, _run_id) -> RunRequest:
        return RunRequest()

    def report(self, _run_id) -> None:
        """The run has no refits yet."""

    get = last_event = report
