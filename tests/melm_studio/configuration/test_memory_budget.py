"""What the parts of a studio may take adds up to less memory than there is."""

from __future__ import annotations

import pytest

from melm_studio.configuration.memory_budget import (
    PROCESS_MB,
    READERS,
    USED,
    memory_budget,
    web_process_mb,
)
from melm_studio.configuration.memory_limit import limits_of_groups
from melm_studio.workspace.file_reader import JOBS

THREADS, UPLOAD_MB = 8, 128


@pytest.mark.fault
@pytest.mark.parametrize("gigabytes", [4, 6, 8, 16, 64, 512])
def test_all_parts_together_take_less_than_a_machine_has(gigabytes):
    total = USED * gigabytes * 1024
    reader_mb, runs_mb = memory_budget(gigabytes * 1024, THREADS, UPLOAD_MB)
    assert web_process_mb(reader_mb, THREADS, UPLOAD_MB) + runs_mb <= total
    assert PROCESS_MB + runs_mb <= total  # a worker of its own
    if gigabytes >= 8:  # two web processes of their own
        assert 2 * web_process_mb(reader_mb, THREADS, UPLOAD_MB) <= total


def test_readers_are_counted_as_they_are():
    assert sum(JOBS.values()) == READERS


def test_a_container_has_the_memory_that_it_may_take(tmp_path):
    own, groups = tmp_path / "cgroup", tmp_path / "groups"
    inner = groups / "system.slice" / "studio.service"
    inner.mkdir(parents=True)
    own.write_text("1:cpu:/\n0::/system.slice/studio.service\n")
    assert limits_of_groups(groups, own) == []
    (inner / "memory.max").write_text("max\n")
    (inner.parent / "memory.max").write_text(f"{2**32}\n")
    assert limits_of_groups(groups, own) == [2**32]
    own.write_text("0::/\n")  # as a container sees its own
    (groups / "memory.max").write_text(f"{2**31}\n")
    assert limits_of_groups(groups, own) == [2**31]
    assert limits_of_groups(groups, tmp_path / "none") == []
