"""Health checks, and metrics for Prometheus."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator

import flask
import prometheus_client
from flask import Blueprint
from flask.blueprints import BlueprintSetupState
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry

from callbacks.addresses import Guard
from callbacks.services import services
from melm_core.compiled import engine
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.protocol import RunStore, Sign, StoreUnavailableError

MAX_SUPERVISOR_SILENCE_S = 5.0
_EXTENSION = "melm-studio-metrics"
logger = logging.getLogger(__name__)


routes = Blueprint("health", __name__)


@routes.get("/health", is_prompt=True, guard=Guard.MONITOR)
def health() -> tuple[str, int]:
    """Answer that the server works, with its implementation of sums over pairs of rows."""
    return f"ok, sums over pairs of rows: {engine()}", 200


@routes.get("/ready", is_prompt=True, guard=Guard.MONITOR)
def ready() -> tuple[str, int]:
    """Answer whether the store can be written, and a supervisor works the queue."""
    store = services().store
    problems = [*_store_problems(store), *_supervisor_problems(store)]
    return ("; ".join(problems), 503) if problems else ("ready", 200)


def _store_problems(store: RunStore) -> list[str]:
    try:
        store.probe(time.time())
        secret = store.secret()
    except StoreUnavailableError as error:
        logger.exception("the store cannot be written")
        return [f"the store cannot be written: {error}"]
    except Exception:  # every kind of failure means that the store is not usable
        logger.exception("the store cannot be written")
        return ["the store cannot be written"]
    if secret != flask.current_app.secret_key:
        return ["the key in the store is no longer that of this process, restart it"]
    return []


def _supervisor_problems(store: RunStore) -> list[str]:
    beat_s = store.marked_s(Sign.SUPERVISOR)
    if beat_s is None:
        return ["no supervisor has worked the queue yet"]
    silence_s = time.time() - beat_s
    if silence_s > MAX_SUPERVISOR_SILENCE_S:
        return [f"the last heartbeat of the supervisor was {silence_s:.0f} s ago"]
    return []


class _Metrics:
    def __init__(self, store: RunStore) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(_Runs(store))
        self.frames = prometheus_client.Counter(
            "melm_frames_served", "Answers to the loops of pages.", registry=self.registry
        )


@routes.record
def begin_counting(state: BlueprintSetupState) -> None:
    """Count from the start of the server."""
    state.app.extensions[_EXTENSION] = _Metrics(services().store)


def _metrics() -> _Metrics:
    metrics: _Metrics = flask.current_app.extensions[_EXTENSION]
    return metrics


@routes.after_app_request
def count(response: flask.Response) -> flask.Response:
    """Count the answers with frames."""
    if flask.request.endpoint == "frames.frames" and response.status_code == 200:
        _metrics().frames.inc()
    return response


@routes.get("/metrics", is_prompt=True, guard=Guard.MONITOR)
def metrics() -> flask.Response:
    """Return the metrics of the studio, as Prometheus reads them."""
    content = prometheus_client.generate_latest(_metrics().registry)
    return flask.Response(content, content_type=prometheus_client.CONTENT_TYPE_LATEST)


class _Runs(Collector):
    def __init__(self, store: RunStore) -> None:
        self._store = store

    def collect(self) -> Iterator[Metric]:
        yield self._unfinished()
        yield GaugeMetricFamily(
            "melm_queue_length", "Runs that wait for a worker.", self._store.n_queued()
        )
        yield from self._ended()

    def _unfinished(self) -> Metric:
        runs = GaugeMetricFamily("melm_runs", "Runs that have not ended.", labels=["state"])
        n_runs = Counter(run.state for run in self._store.unfinished())
        for state in RunState:
            if not state.is_final:
                runs.add_metric([state], n_runs[state])
        return runs

    def _ended(self) -> Iterator[Metric]:
        runs = CounterMetricFamily("melm_runs_ended", "Runs that ended.", labels=["state"])
        seconds = CounterMetricFamily(
            "melm_run_seconds", "Seconds that runs that ended had worked.", labels=["state"]
        )
        for state, ended in self._store.ended().items():
            runs.add_metric([state], ended.n_runs)
            seconds.add_metric([state], ended.seconds)
        yield runs
        yield seconds
