"""Which runs are drawn from the same prepared rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from melm_core.methods import METHODS
from melm_studio.worker.records.run import RunRecord


@dataclass(frozen=True)
class ViewerKey:
    """A run, equal to every other run that can share its viewer."""

    key: tuple[object, ...]
    record: RunRecord = field(compare=False)

    @classmethod
    def of(cls, record: RunRecord) -> ViewerKey:
        """Return the key of a run; the kernel width does not matter."""
        parameters = record.parameters
        shared = ("held_out", "random_state", "n_components")
        key: tuple[object, ...] = (
            record.owner,
            record.data_id,
            *(parameters[name] for name in shared),
        )
        if not METHODS[record.method].is_linear:
            key = (*key, record.method, *sorted(parameters.items()))
        return cls(key, record)
