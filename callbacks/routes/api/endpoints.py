"""The endpoints of the HTTP interface, which the routes and their description are made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from callbacks.routes.api import links, runs, tables, tokens
from callbacks.routes.publication.report import report_run
from melm_studio.programs import models
from melm_studio.runs.records.data_source import DataSource

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Endpoint:
    """An address, what it takes, and what it answers.

    Attributes
    ----------
    method, path : str
        In the path, ``<name>`` stands for a value.
    handle : callable
    summary : str
    answer : type or str
        A model, or the media type of a file.
    body : type or None
        The model of a JSON body.
    takes_file : bool
        Whether the body is a form with a file.
    query : tuple of str
        Numbers in the query.
    status : int
        Of an answer.
    """

    method: str
    path: str
    handle: Callable[..., Any]
    summary: str
    answer: type[Struct] | str
    body: type[Struct] | None = None
    takes_file: bool = False
    query: tuple[str, ...] = ()
    status: int = 200


ENDPOINTS = (
    Endpoint("POST", "/tokens", tokens.create, "Make a token", models.Token, status=201),
    Endpoint("GET", "/tokens", tokens.list_tokens, "List the tokens", models.Tokens),
    Endpoint("DELETE", "/tokens/<token_id>", tokens.revoke, "Revoke a token", models.Tokens),
    Endpoint(
        "POST",
        "/files",
        tables.store_file,
        "Store a file",
        models.StoredFile,
        takes_file=True,
        status=201,
    ),
    Endpoint(
        "POST",
        "/tables",
        tables.prepare,
        "Prepare a file or a sample, without a run",
        models.PreparedTable,
        body=DataSource,
    ),
    Endpoint(
        "POST",
        "/links",
        links.create,
        "Make an address that opens a table in a browser",
        models.Link,
        body=models.NewLink,
        status=201,
    ),
    Endpoint("GET", "/runs", runs.list_runs, "List the runs", models.Runs),
    Endpoint(
        "POST", "/runs", runs.start, "Start a run", models.Run, body=models.NewRun, status=201
    ),
    Endpoint("GET", "/runs/<run_id>", runs.show, "How far a run is", models.Run),
    Endpoint("DELETE", "/runs/<run_id>", runs.remove, "Remove a run", models.Runs),
    Endpoint("POST", "/runs/<run_id>/stop", runs.stop, "Stop a run, keep its planes", models.Run),
    Endpoint(
        "GET",
        "/runs/<run_id>/planes",
        runs.planes,
        "The planes of a run after a number, at most 100",
        models.Planes,
        query=("after",),
    ),
    Endpoint("GET", "/runs/<run_id>/result", runs.result, "What a run found", models.Result),
    Endpoint(
        "POST",
        "/runs/<run_id>/check",
        runs.start_check,
        "Check whether what a run found is real",
        models.Check,
        status=201,
    ),
    Endpoint(
        "GET", "/runs/<run_id>/check", runs.show_check, "What the check has found", models.Check
    ),
    Endpoint(
        "POST",
        "/runs/<run_id>/analyses/<name>",
        runs.start_analysis,
        "Begin an analysis of a run, by its name",
        models.AnalysisResult,
        status=201,
    ),
    Endpoint(
        "GET",
        "/runs/<run_id>/analyses/<name>",
        runs.show_analysis,
        "What an analysis has found",
        models.AnalysisResult,
    ),
    Endpoint("GET", "/runs/<run_id>/report", report_run, "The report of a run", "text/html"),
)
