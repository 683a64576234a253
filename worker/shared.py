"""A shared store as a page has it."""

from __future__ import annotations

from worker.broker import Broker
from worker.caretaker import Caretaker
from worker.limits import Limits
from worker.records import RunRecord
from worker.redis_address import RedisAddress
from worker.redis_store import RedisRunStore
from worker.settings import Settings


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
