"""Flask's test client for a studio in another process."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from callbacks.guards.error_answers import REPEAT_AFTER_S

ANSWER_S = 30


class RemoteClient:
    """The part of the client that `Visitor` uses; its cookie is valid on every port."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._session = requests.Session()
        # A connection that was kept alive may lead to a process that has ended.
        retry = Retry(3, backoff_factor=0.1, respect_retry_after_header=False)
        self._session.mount("http://", HTTPAdapter(max_retries=retry))

    def get(self, path: str, query_string: Mapping[str, Any] | None = None) -> Answer:
        return self._answer("GET", path, params=query_string)

    def post(self, path: str, json: Any) -> Answer:
        return self._answer("POST", path, json=json)

    def _answer(self, method: str, path: str, **sent: Any) -> Answer:
        """Ask again and again while the answer says that it will soon be there, as pages do."""
        while True:
            answer = self._session.request(method, self.url + path, timeout=ANSWER_S, **sent)
            if answer.headers.get("Retry-After") != str(REPEAT_AFTER_S):
                return Answer(answer)
            time.sleep(REPEAT_AFTER_S)

    def upload(self, raw: bytes) -> dict[str, str]:
        """Upload a file, and return what identifies it."""
        files = {"file": ("table.csv", io.BytesIO(raw))}
        answer = self._session.post(f"{self.url}/upload", files=files, timeout=2 * ANSWER_S)
        found: dict[str, str] = answer.json()
        return found

    def take_cookies(self, other: RemoteClient) -> None:
        """Become the visitor of another client."""
        self._session.cookies.update(other._session.cookies)

    def close(self) -> None:
        self._session.close()


class Answer:
    """A response with the interface of Flask's test client."""

    def __init__(self, response: requests.Response) -> None:
        self.status_code, self.data = response.status_code, response.content
        self.text = response.text
        self._response = response

    @property
    def json(self) -> Any:
        return self._response.json()
