"""The messages by which web processes call workers: Celery on the Redis server of the store."""

from __future__ import annotations

import logging

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from melm_studio.worker.config.redis_address import RedisAddress
from melm_studio.worker.store.protocol import StoreUnavailableError

TASK = "work-next-run"
CALLS = "calls"

_NO_CONTACT = (OperationalError, redis.RedisError)

logger = logging.getLogger(__name__)


def celery_on(address: RedisAddress) -> Celery:
    """Return the Celery app of a studio, for those who call and those who work."""
    app = Celery("melm-studio", broker=address.url, set_as_current=False)
    app.conf.update(
        # Messages hold no data but text, and nothing that arrives is ever unpickled.
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,
        # A message stays with the broker while its run is worked, and a worker takes no more of
        # them than it works runs.
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        # What becomes of a run is in its record, so nobody watches or directs workers otherwise.
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        task_default_queue=CALLS,
        broker_transport_options={"global_keyprefix": f"{address.key('broker')}/"},
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        worker_hijack_root_logger=False,
    )
    return app


class Broker:
    """Calls workers to the queue of a shared store."""

    def __init__(self, address: RedisAddress) -> None:
        self._celery = celery_on(address)

    def call(self, n_times: int = 1) -> None:
        """Ask for so many runs to be worked; the caretaker asks again where this fails."""
        try:
            with self._celery.connection_for_write() as connection:
                for _ in range(n_times):
                    self._celery.send_task(TASK, connection=connection)
        except _NO_CONTACT:
            logger.exception("could not call a worker")

    def n_calls(self) -> int:
        """Return how many calls no worker has answered yet."""
        try:
            with self._celery.connection_for_write() as connection:
                return int(connection.default_channel.queue_declare(CALLS).message_count)
        except _NO_CONTACT as error:
            raise StoreUnavailableError from error
