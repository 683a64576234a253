"""A shared store as web processes open it."""

from __future__ import annotations

from melm_studio.configuration.limits import Limits
from melm_studio.configuration.redis_address import RedisAddress
from melm_studio.configuration.settings import Settings
from melm_studio.runs.records.run import RunRecord
from melm_studio.runs.store.broker import Broker
from melm_studio.runs.store.protocol import Admission, admit_any
from melm_studio.runs.store.redis import RedisRunStore
from melm_studio.runs.store.watchdog import Watchdog


class NotifyingRunStore(RedisRunStore):
    """A shared store that notifies a worker of every new run."""

    def __init__(self, address: RedisAddress, limits: Limits, patience_s: float) -> None:
        super().__init__(address, limits, patience_s)
        self.broker = Broker(address)

    def create(
        self,
        record: RunRecord,
        admit: Admission = admit_any,
        *,
        n_bytes: int = 0,
        report: bytes | None = None,
    ) -> None:
        super().create(record, admit, n_bytes=n_bytes, report=report)
        if not record.state.is_final:
            self.broker.notify()


def open_shared_store(settings: Settings, patience_s: float) -> NotifyingRunStore:
    """Open the store, with a watchdog for as long as this process lives."""
    address = RedisAddress.from_text(settings.store)
    store = NotifyingRunStore(address, settings.limits, patience_s)
    Watchdog(store, store.broker).start()
    return store
