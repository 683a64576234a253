"""The wheel: what it holds, and that it runs in an empty environment."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.melm_studio.runs.helpers import wait_until
from tools.driver.launcher import running_studio
from tools.driver.remote_client import RemoteClient
from tools.driver.visitor import Visitor

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*build, "--directory", folder], cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_it_puts_no_common_name_into_the_environment(wheel):
    names = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    packages = {name for name in names if not name.endswith(".dist-info")}
    assert packages == {"melm_core", "melm_studio"}


def test_it_holds_every_file_of_the_application(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    committed = subprocess.run(
        ["git", "ls-files", "app.py", "callbacks", "assets", "docs", "melm_core", "melm_studio"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    expected = {
        name if name.startswith("melm_") else f"melm_studio/application/{name}"
        for name in committed
    }
    assert len(expected) > 300
    assert expected <= held


def test_it_offers_the_extras_and_its_types(wheel):
    with zipfile.ZipFile(wheel) as files:
        (metadata,) = [name for name in files.namelist() if name.endswith("/METADATA")]
        offered = re.findall(
            r"^Provides-Extra: (\w+)$", files.read(metadata).decode(), re.MULTILINE
        )
        assert {"melm_core/py.typed", "melm_studio/py.typed"} <= set(files.namelist())
    assert set(offered) == {"dask", "docs", "notebook", "parquet", "redis", "umap"}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_runs_in_an_environment_with_nothing_else(wheel, tmp_path):
    environment = tmp_path / "environment"
    venv.create(environment)
    python = environment / "bin" / "python"
    install = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python, wheel]
    subprocess.run(install, check=True)
    command = [str(environment / "bin" / "melm-studio")]
    with running_studio(tmp_path, command=command) as studio:
        client = RemoteClient(studio.url)
        visitor = Visitor(client)
        visitor.choose_sample("wine")
        run = visitor.start(method="lda")
        wait_until(lambda: finished(client, run), deadline_s=60)
        plane = client.get(f"/runs/{run}/points.csv")
        assert plane.status_code == 200
        assert len(plane.text.splitlines()) == 179
        (script,) = re.findall(r'src="(/assets/[^"]*/main\.bundle\.mjs)"', client.get("/").text)
        assert client.get(script).status_code == 200
        client.close()


def finished(client: RemoteClient, run: str) -> bool:
    news = client.get(f"/frames?run={run}:-1").json["runs"][run]
    return bool(news["is_final"])
