"""A shared store as web processes open it: workers are notified of runs, and dead runs end."""

from __future__ import annotations

import logging
import threading
import time

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from melm_studio.configuration.clock import Clock
from melm_studio.configuration.limits import DiskFullError, Limits
from melm_studio.configuration.settings import RedisAddress, Settings
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.runs.store.attempts import DEAD_AFTER_S, DeadRuns
from melm_studio.runs.store.protocol import (
    Admission,
    Listing,
    RunStore,
    StoreUnavailableError,
    admit_any,
)
from melm_studio.runs.store.redis import RedisRunStore

TASK = "work-next-run"
QUEUE = "calls"
POLL_S = 1.0

_CONNECTION_ERRORS = (OperationalError, redis.RedisError)

logger = logging.getLogger(__name__)


def celery_on(address: RedisAddress) -> Celery:
    """Return the Celery app of a studio, for its web processes and its workers."""
    app = Celery("melm-studio", broker=address.url, set_as_current=False)
    app.conf.update(
        # Messages are plain text; nothing received is ever unpickled.
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        # A message stays with the broker while its run is executed, and a worker takes only as
        # many messages as it executes runs.
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        # The outcome of a run is in its record, so workers need no other monitoring or control.
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        task_default_queue=QUEUE,
        broker_transport_options={"global_keyprefix": f"{address.key('broker')}/"},
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        worker_hijack_root_logger=False,
    )
    return app


class Broker:
    """Notifies workers of queued runs in a shared store."""

    def __init__(self, address: RedisAddress) -> None:
        self._celery = celery_on(address)

    def notify(self, n_runs: int = 1) -> None:
        """Send one message per run; where this fails, the watchdog sends it again."""
        try:
            with self._celery.connection_for_write() as connection:
                for _ in range(n_runs):
                    self._celery.send_task(TASK, connection=connection)
        except _CONNECTION_ERRORS:
            logger.exception("could not notify a worker")

    def n_messages(self) -> int:
        """Return how many messages no worker has taken yet."""
        try:
            with self._celery.connection_for_write() as connection:
                return int(connection.default_channel.queue_declare(QUEUE).message_count)
        except _CONNECTION_ERRORS as error:
            raise StoreUnavailableError from error


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


class Watchdog:
    """Ends runs whose worker has died, and notifies workers again of runs that still wait.

    Several watchdogs may run on one store: repeating their actions does no harm.
    """

    def __init__(self, store: RunStore, broker: Broker, clock: Clock = time) -> None:
        self._store, self._broker, self._clock = store, broker, clock
        self._dead_runs = DeadRuns(store, has_other_workers=True, clock=clock)
        self._claimed_s: dict[str, float] = {}  # since when a run was found claimed
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    def start(self) -> None:
        """Poll about every second from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Stop polling."""
        self._stopping.set()
        self._thread.join()

    def poll(self) -> None:
        """Do what is due."""
        self._store.secret()  # which gives a server that lost it its key again
        self._dead_runs.end()
        self._release_unstarted()
        n_missing = self._store.n_queued() - self._broker.n_messages()
        if n_missing > 0:
            self._broker.notify(n_missing)

    def _release_unstarted(self) -> None:
        """Queue again the runs whose worker died between claiming and starting them.

        A worker that is only slow to start its run may be affected too; then a second worker finds
        the run started and leaves it alone.
        """
        queued = {run.run_id for run in self._store.unfinished() if run.state is RunState.QUEUED}
        for listing in (Listing.QUEUED, Listing.LOOKED_AT):
            queued.difference_update(self._store.run_ids(listing))
        now = self._clock.monotonic()
        self._claimed_s = {run_id: self._claimed_s.get(run_id, now) for run_id in queued}
        for run_id, since_s in self._claimed_s.items():
            if now - since_s > DEAD_AFTER_S:
                self._store.release(run_id)

    def _run(self) -> None:
        while not self._stopping.wait(POLL_S):
            try:
                self.poll()
            except (DiskFullError, StoreUnavailableError):
                logger.exception("waiting for the store")
        self._store.close()
