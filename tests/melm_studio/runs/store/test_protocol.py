"""The parts of a store are abstract until every method is implemented."""

from __future__ import annotations

import pytest

from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.protocol import Files, Histories, RunStore


def test_a_back_end_without_a_method_cannot_be_constructed():
    implemented = RunStore.__abstractmethods__ - Histories.__abstractmethods__
    body = {name: getattr(DiskRunStore, name) for name in implemented}
    incomplete = type("Incomplete", (RunStore,), body)
    with pytest.raises(TypeError, match=r"append.*events.*history_size.*put_report.*report"):
        incomplete()


def test_a_part_can_be_implemented_alone():
    body = {name: getattr(DiskRunStore, name) for name in Files.__abstractmethods__}
    assert isinstance(type("OnlyFiles", (Files,), body)(), Files)
