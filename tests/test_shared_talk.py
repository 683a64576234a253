"""A talk on a shared store: viewers of every web process follow it."""

from __future__ import annotations

from contextlib import ExitStack, closing

import pytest
import requests

from lab.driver.launcher import running_studio
from lab.driver.remote_client import RemoteClient
from lab.driver.visitor import Visitor
from tests.callbacks.routes.talks.messages import read_messages
from tests.melm_studio.runs.helpers import wait_until
from tests.melm_studio.runs.redis_server import running_redis

pytestmark = pytest.mark.slow


def next_messages(body) -> list[tuple[str, object]]:
    """The messages in the next part of an answer that goes on, but for signs of life."""
    while True:
        found = [one for one in read_messages(next(body)) if one[0] != "a"]
        if found:
            return found


def test_viewers_of_every_web_process_follow_and_are_counted(tmp_path):
    with ExitStack() as stack:
        server = stack.enter_context(running_redis(tmp_path))
        folders = [tmp_path / name for name in ("one", "other")]
        for folder in folders:
            folder.mkdir()
        one, other = (
            stack.enter_context(running_studio(folder, store=server.text("talk"), workers=n))
            for folder, n in zip(folders, (1, 0), strict=True)
        )
        presenter = Visitor(stack.enter_context(closing(RemoteClient(one.url))))
        presenter.choose_sample("iris")
        run = presenter.start(method="pca")
        wait_until(lambda: presenter.news(run)["is_final"])
        link = presenter.http.post("/talk", {}).json["talk"]["link"]
        path = f"/t/{link.rpartition('/')[2]}/pictures"
        answers = [
            stack.enter_context(requests.get(studio.url + path, stream=True, timeout=30))
            for studio in (one, other)
        ]
        bodies = [answer.iter_content(None) for answer in answers]
        seen = []
        for gamma in ("0.5", "2"):
            shown = presenter.http.post(f"/talk/shown?gamma={gamma}", {"run": run, "plane": 0})
            assert shown.status_code == 200
            (kind, picture), (other_kind, other_picture) = (
                next_messages(body)[-1] for body in bodies
            )
            assert (kind, other_kind) == ("p", "p")
            assert picture == other_picture
            seen.append(picture["traces"])
        assert seen[0] != seen[1]
        wait_until(lambda: presenter.http.get("/talk").json["talk"]["viewers"] == 2)
        presenter.http.post("/talk/end", {})
        for body in bodies:
            assert next_messages(body) == [("e", None)]
