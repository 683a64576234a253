"""Metrics for Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import flask
import prometheus_client
from dash import Dash
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector, CollectorRegistry

from callbacks.services import services
from melm_studio.runs.records.run import RunState
from melm_studio.runs.store.protocol import RunStore


def register(app: Dash) -> None:
    """Connect /metrics, with the runs of the store and the frames that this process served."""
    metrics = _Metrics(services().store)
    app.server.after_request(metrics.count)
    app.server.get("/metrics", endpoint="metrics")(metrics.answer)


class _Metrics:
    def __init__(self, store: RunStore) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Runs(store))
        self._frames = prometheus_client.Counter(
            "melm_frames_served", "Answers to the loops of pages.", registry=self._registry
        )

    def count(self, response: flask.Response) -> flask.Response:
        if flask.request.endpoint == "frames" and response.status_code == 200:
            self._frames.inc()
        return response

    def answer(self) -> flask.Response:
        content = prometheus_client.generate_latest(self._registry)
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
