"""A Redis server that visitors fill refuses with a sentence, loses nothing, and works again."""

from __future__ import annotations

import secrets
from contextlib import contextmanager

import pytest

from app import create_app
from lab.driver.visitor import Studio, shared_reader
from lab.setup.find_redis import REMEDY, find_redis
from melm_studio.configuration.settings import RedisAddress, Settings
from melm_studio.runs.store.redis import RedisRunStore
from tests.deployment import service_command
from tests.melm_studio.runs.redis_server import RedisServer

MOST_MB = 48
FILE = 4 * 2**20


@pytest.fixture
def server(tmp_path):
    """The server of the compose file, with little memory."""
    program = find_redis()
    if program is None:
        pytest.skip(REMEDY)
    options = service_command("redis")[1:]
    options[options.index("--maxmemory") + 1] = f"{MOST_MB}mb"
    running = RedisServer(program, tmp_path, options)
    yield running
    running.kill()


@contextmanager
def studio_on(server, folder, **limits):
    settings = Settings(data_dir=folder, store=server.text(), **limits)
    store = RedisRunStore(RedisAddress.from_text(settings.store), settings.limits, 5.0)
    yield Studio(create_app(settings, store, shared_reader()), store)
    store.close()


def sent(visitor, number):
    """Send a file of its own content, and return the answer."""
    return visitor.send(b"a,b\n" + secrets.token_hex(FILE // 2).encode(), f"{number}.csv")


@pytest.mark.fault
def test_a_server_that_is_full_refuses_in_words_also_after_a_restart(server, tmp_path):
    """More may be stored than the server has memory for."""
    with studio_on(server, tmp_path) as studio:
        visitor = studio.visitor()
        visitor.choose_sample("iris")
        run = visitor.start(method="pca")
        answers = (sent(visitor, number) for number in range(MOST_MB * 2**20 // FILE))
        refusal = next(answer for answer in answers if answer.status_code != 200)
        assert refusal.status_code == 507
        assert refusal.json["error"].startswith("The disk of the studio is full")
        server.kill()
        server.start()
        again = sent(visitor, 99)
        assert (again.status_code, again.json) == (507, refusal.json)
        assert studio.app.server.test_client().get("/").status_code == 200
        assert list(visitor.frames(run)["runs"]) == [run]
        for file in studio.store.files_of(visitor.owner):
            studio.store.delete_file(file)
        assert visitor.send(b"a,b\n1,x\n", "small.csv").status_code == 200


@pytest.mark.slow
@pytest.mark.fault
def test_below_the_limit_of_all_visitors_a_server_is_never_full(server, tmp_path):
    with studio_on(server, tmp_path, max_total_mb=MOST_MB // 2) as studio:
        visitor = studio.visitor()
        visitor.choose_sample("iris")
        run = visitor.start(method="pca")
        answers = {sent(visitor, number).status_code for number in range(24)}
        assert answers <= {200, 409}  # what the visitor no longer uses makes room
        with server.client() as client:
            assert client.info("memory")["used_memory_peak"] < MOST_MB * 2**20
        assert visitor.http.post(f"/runs/{run}/remove", json={}).status_code == 200
