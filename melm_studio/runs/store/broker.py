"""The messages that notify workers of new runs: Celery on the Redis server of the store."""

from __future__ import annotations

import logging

import redis
from celery import Celery
from kombu.exceptions import OperationalError

from melm_studio.configuration.redis_address import RedisAddress
from melm_studio.runs.store.protocol import StoreUnavailableError

TASK = "work-next-run"
QUEUE = "calls"

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
