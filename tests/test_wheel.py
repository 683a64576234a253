"""The wheels of library and studio: what they hold, and that they run in empty environments."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from lab.driver.launcher import running_studio
from lab.driver.remote_client import RemoteClient
from lab.driver.visitor import Visitor
from melm_core.compiled.loading import compiler
from tests.melm_studio.runs.helpers import wait_until
from tests.wheels import LIBRARY, ROOT, built_wheels, installed

MOST_BYTES = 2_250_000
OF_USERS = r"docs/(?!adding-|architecture)[^/]+\.md"  # documents
OLDEST = ("numpy==1.26.*", "scikit-learn==1.5.*")
OLDEST_OF_STUDIO = (*OLDEST, "pandas==3.0.*")
FIT = """
import sys
from sklearn.datasets import load_wine
from melm_core import MELM
plane = MELM(random_state=0).fit(*load_wine(return_X_y=True))
assert plane.components_.shape == (2, 13)
assert not {"pandas", "dash", "finufft", "melm_studio"} & set(sys.modules)
"""


@pytest.fixture(scope="session")
def wheels(tmp_path_factory) -> dict[str, Path]:
    """The wheels of the library and of the studio, by the name of the distribution."""
    return built_wheels(tmp_path_factory.mktemp("wheels"))


@pytest.mark.slow
def test_neither_puts_a_common_name_into_the_environment(wheels):
    for name, wheel in wheels.items():
        found = {held.split("/")[0] for held in zipfile.ZipFile(wheel).namelist()}
        assert {held for held in found if not held.endswith(".dist-info")} == {name}


def test_together_they_hold_every_file_of_the_application(wheels):
    held = {name for wheel in wheels.values() for name in zipfile.ZipFile(wheel).namelist()}
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
        if not name.startswith("docs/") or re.fullmatch(OF_USERS, name)
    }
    assert len(expected) > 300
    assert expected <= held


def test_the_wheel_of_the_studio_is_small(wheels):
    size = wheels["melm_studio"].stat().st_size
    assert size < MOST_BYTES


def test_they_offer_extras_and_types_and_are_of_one_version(wheels):
    extras = {"melm_core": {"dask", "fast", "umap"}}
    extras["melm_studio"] = {
        "agents",
        "dask",
        "docs",
        "fast",
        "h5ad",
        "notebook",
        "parquet",
        "redis",
        "signing",
        "statistics",
        "umap",
    }
    versions = set()
    for name, wheel in wheels.items():
        metadata = metadata_of(wheel)
        assert set(re.findall(r"^Provides-Extra: (\w+)$", metadata, re.MULTILINE)) == extras[name]
        assert f"{name}/py.typed" in zipfile.ZipFile(wheel).namelist()
        versions |= set(re.findall(r"^Version: (\S+)$", metadata, re.MULTILINE))
    assert len(versions) == 1


def test_the_studio_requires_the_library_and_the_library_nothing_of_the_web(wheels):
    assert re.search(
        r"^Requires-Dist: melm-core<", metadata_of(wheels["melm_studio"]), re.MULTILINE
    )
    needed = re.findall(
        r"^Requires-Dist: ([\w-]+)[^;\n]*$", metadata_of(wheels["melm_core"]), re.MULTILINE
    )
    assert {"numpy", "scipy", "scikit-learn"} <= set(needed)
    assert not {"dash", "finufft", "flask", "pandas", "plotly"} & set(needed)


def test_the_license_of_the_library_is_that_of_the_repository():
    assert (LIBRARY / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("root", "url"),
    [(ROOT, "https://example.org/studio"), (LIBRARY, "https://example.org/studio"), (LIBRARY, "")],
    ids=["studio", "library", "library without an address"],
)
def test_an_index_gets_no_link_that_leads_nowhere(tmp_path, root, url):
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    environment = {**os.environ, "MELM_REPOSITORY_URL": url}
    subprocess.run([*build, tmp_path], cwd=root, check=True, capture_output=True, env=environment)
    metadata = metadata_of(next(tmp_path.glob("*.whl")))
    _, description = metadata.split("\n\n", 1)
    assert description.split("```sh\n")[1].startswith("pip install melm-")
    links = re.findall(r"\]\(([^)]*)\)", description)
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]*)\)", description)
    assert all(link.startswith(f"{url}/") for link in links)
    assert [bool(links), bool(pictures)] == [bool(url), bool(url)]
    for link in links:
        assert (ROOT / link.partition("/HEAD/")[2].partition("#")[0]).is_file()
    assert ("Project-URL: Homepage" in metadata) == bool(url)


@pytest.mark.slow
def test_what_an_index_shows_is_valid(wheels):
    check = [sys.executable, "-m", "twine", "check", "--strict", *wheels.values()]
    subprocess.run(check, check=True, capture_output=True)


@pytest.mark.slow
def test_a_source_archive_of_the_library_gives_the_same_wheel(wheels, tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "--directory", tmp_path, "--target"]
    subprocess.run([*build, "sdist"], cwd=LIBRARY, check=True, capture_output=True)
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    subprocess.run(["tar", "-xzf", next(tmp_path.glob("*.tar.gz")), "-C", unpacked], check=True)
    (root,) = unpacked.iterdir()
    subprocess.run([*build, "wheel"], cwd=root, check=True, capture_output=True)
    again = next(tmp_path.glob("*.whl"))
    assert metadata_of(again) == metadata_of(wheels["melm_core"])
    held = [set(zipfile.ZipFile(wheel).namelist()) for wheel in (again, wheels["melm_core"])]
    assert held[0] == held[1]


@pytest.mark.slow
def test_a_wheel_of_this_platform_climbs_in_c(tmp_path):
    """For every version of Python; that of all platforms leaves it to numpy or to a build."""
    if compiler() is None:
        pytest.skip("There is no C compiler.")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory"]
    environment = {**os.environ, "MELM_WHEEL": "platform"}
    subprocess.run(
        [*build, tmp_path], cwd=LIBRARY, check=True, capture_output=True, env=environment
    )
    (wheel,) = tmp_path.glob("*.whl")
    assert re.search(r"-py3-none-(?!any)\w+\.whl$", wheel.name)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB")  # noqa: T201 - make wheel shows it
    python = installed(tmp_path, wheel) / "bin" / "python"
    said = [python, "-c", "from melm_core.compiled import engine; print(engine())"]
    found = subprocess.run(said, check=True, cwd=tmp_path, capture_output=True, text=True).stdout
    assert found.startswith("compiled for ")
    subprocess.run([python, "-c", FIT], check=True, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("versions", [(), OLDEST], ids=["newest", "oldest"])
def test_the_library_fits_in_an_environment_with_nothing_else(wheels, tmp_path, versions):
    environment = installed(tmp_path, wheels["melm_core"], *versions)
    print(f"melm-core needs {megabytes(environment):.0f} MB")  # noqa: T201 - make wheel shows it
    subprocess.run([environment / "bin" / "python", "-c", FIT], check=True, cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("versions", [(), OLDEST_OF_STUDIO], ids=["newest", "oldest"])
def test_the_studio_runs_in_an_environment_with_nothing_else(wheels, tmp_path, versions):
    environment = installed(tmp_path, *wheels.values(), *versions)
    print(f"melm-studio needs {megabytes(environment):.0f} MB")  # noqa: T201 - make wheel shows it
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
        guide = client.get("/docs/explore.md")
        assert guide.status_code == 200
        assert "<img" not in guide.text
        assert "adding-a-format.md" not in guide.text  # which is not in the wheel
        client.close()


def megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*")) / 1e6


def metadata_of(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as files:
        (metadata,) = [name for name in files.namelist() if name.endswith("/METADATA")]
        return files.read(metadata).decode()


def finished(client: RemoteClient, run: str) -> bool:
    news = client.get(f"/frames?run={run}:-1").json["runs"][run]
    return bool(news["is_final"])
