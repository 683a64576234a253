"""What a user asks of a run that is under way."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum


class Order(StrEnum):
    """What a run should do."""

    GO = "go"
    PAUSE = "pause"
    CANCEL = "cancel"


@dataclass(frozen=True)
class Control:
    """An order, and how many single planes were asked for so far.

    A run that holds still compares the number with the one it knows, so that whoever asks and
    whoever works need not take turns. A cancelled run stays cancelled.
    """

    order: Order = Order.GO
    n_steps: int = 0

    @property
    def is_cancelled(self) -> bool:
        """Whether the run should stop."""
        return self.order is Order.CANCEL

    @property
    def is_paused(self) -> bool:
        """Whether the run should hold still."""
        return self.order is Order.PAUSE

    def cancelled(self) -> Control:
        """Return the control after a request to stop."""
        return replace(self, order=Order.CANCEL)

    def paused(self) -> Control:
        """Return the control after a request to hold still."""
        return self._unless_cancelled(Order.PAUSE)

    def stepped(self) -> Control:
        """Return the control after a request for one plane more."""
        return replace(self.paused(), n_steps=self.n_steps + 1)

    def resumed(self) -> Control:
        """Return the control after a request to go on."""
        return self._unless_cancelled(Order.GO)

    def _unless_cancelled(self, order: Order) -> Control:
        return self if self.is_cancelled else replace(self, order=order)

    def to_bytes(self) -> bytes:
        """Return the control as JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, raw: bytes) -> Control:
        """Return the control that `to_bytes` wrote."""
        values = json.loads(raw)
        return cls(**values | {"order": Order(values["order"])})


GO = Control()
