"""The parts of a store are abstract until every method is implemented."""

from __future__ import annotations

import pytest

from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.protocol import Files, Queue, RunStore


def test_a_back_end_without_a_method_cannot_be_constructed():
    implemented = RunStore.__abstractmethods__ - Queue.__abstractmethods__
    body = {name: getattr(DiskRunStore, name) for name in implemented}
    incomplete = type("Incomplete", (RunStore,), body)
    with pytest.raises(TypeError, match=r"claim.*n_queued.*places_taken.*release"):
        incomplete()


def test_a_part_can_be_implemented_alone():
    body = {name: getattr(DiskRunStore, name) for name in Files.__abstractmethods__}
    assert isinstance(type("OnlyFiles", (Files,), body)(), Files)
