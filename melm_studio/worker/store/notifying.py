"""A shared store as a page has it."""

from __future__ import annotations

from melm_studio.worker.config.redis_address import RedisAddress
from melm_studio.worker.config.settings import Settings
from melm_studio.worker.records.limits import Limits
from melm_studio.worker.records.run import RunRecord
from melm_studio.worker.store.broker import Broker
from melm_studio.worker.store.redis import RedisRunStore
from melm_studio.worker.store.watchdog import Caretaker


class CallingRunStore(RedisRunStore):
    """A shared store that calls a worker for every new run."""

    def __init__(self, address: RedisAddress, limits: Limits, patience_s: float) -> None:
        super().__init__(address, limits, patience_s)
        self.broker = Broker(address)

    def create(self, record: RunRecord) -> None:
        super().create(record)
        self.broker.call()


def open_shared_store(settings: Settings, patience_s: float) -> CallingRunStore:
    """Open the store, and look after it for as long as this process lives."""
    address = RedisAddress.from_text(settings.store)
    store = CallingRunStore(address, settings.limits, patience_s)
    Caretaker(store, store.broker).start()
    return store
