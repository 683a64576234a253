"""What Prometheus reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import flask
import prometheus_client
from dash import Dash
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry

from callbacks.services import Studio
from melm_studio.worker.records.run import RunState
from melm_studio.worker.store.protocol import RunStore


def register(app: Dash, studio: Studio) -> None:
    """Answer /metrics: the runs of the store, and the frames that this process served."""
    registry = CollectorRegistry()
    registry.register(_Runs(studio.store))
    frames = prometheus_client.Counter(
        "melm_frames_served", "Answers to the loops of pages.", registry=registry
    )

    @app.server.after_request
    def count(response: flask.Response) -> flask.Response:
        if flask.request.endpoint == "frames" and response.status_code == 200:
            frames.inc()
        return response

    @app.server.get("/metrics")
    def metrics() -> flask.Response:
        content = prometheus_client.generate_latest(registry)
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
