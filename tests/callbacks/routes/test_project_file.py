"""A project opens in another studio as it was saved, and one that was tampered with does not."""

from __future__ import annotations

import io
import json
import struct
import zipfile

import numpy as np
import pytest
from msgspec.structs import replace

from lab.driver.visitor import components, opened_studio
from melm_studio.analyses.sparse import SparseReport, SparseSize
from melm_studio.analyses.verdict_file import verdict_in
from melm_studio.configuration.settings import Settings
from melm_studio.layout import ids
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.run import FIT, RunState, new_analysis
from melm_studio.runs.store.attempts import reopen
from melm_studio.workspace.project import opened_project
from melm_studio.workspace.project.manifest import VERSION, checked_events
from melm_studio.workspace.project.read_apart import own_file_reader
from melm_studio.workspace.view_spec import ViewSpec
from melm_studio.workspace.workspace import Workspace
from tests.callbacks.tables import blobs, csv

NAME = "two blobs.csv"
WORDS = "words"


def save(visitor, views=()) -> bytes:
    source = visitor.values[f"{ids.DATA}.data"]["source"]
    body = {"source": source, "views": list(views)}
    with visitor.http.post("/project-file", json=body) as answer:
        assert answer.status_code == 200, answer.text
        return answer.data


def open_project(visitor, raw: bytes):
    return visitor.http.post("/project", json=visitor.upload(raw, "a.melm"))


def parts_of(raw: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(parts: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def manifest_with(raw: bytes, change) -> bytes:
    parts = parts_of(raw)
    values = json.loads(parts["project.json"])
    change(values)
    return zipped(parts | {"project.json": json.dumps(values).encode()})


@pytest.fixture(scope="module")
def saved(studio) -> tuple[object, bytes]:
    """A visitor with two runs, one named and checked, and a story; and the project of it all."""
    visitor = studio.visitor()
    visitor.choose_file(csv(blobs()), NAME)
    melm = visitor.start(method="melm", max_iter=20)
    studio.work()
    visitor.start(method="pca")
    studio.work()
    visitor.http.post(f"/runs/{melm}/name", json={"name": "the good one"})
    source = visitor.values[f"{ids.DATA}.data"]["source"]
    view = ViewSpec.from_json({"source": source, "method": "pca"}).to_json()
    return visitor, save(visitor, [{"view": view, "title": "PCA", "caption": "Look"}])


@pytest.fixture
def project(saved) -> bytes:
    return saved[1]


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Another studio, whose folder is empty."""
    with opened_studio(tmp_path_factory.mktemp("other")) as studio:
        yield studio


def test_a_project_opens_in_another_studio_as_it_was_saved(saved, studio, other):
    visitor, raw = saved
    newcomer = other.visitor()
    answer = open_project(newcomer, raw)
    assert answer.status_code == 200, answer.text
    assert answer.json[WORDS] == "The project has 2 runs and a story of 1 view."
    assert [view["caption"] for view in answer.json["story"]["views"]] == ["Look"]
    changes = newcomer.choose(answer.json["source"])
    assert changes[f"{ids.DATA_ERROR}.children"] is None
    before, after = studio.store.runs_of(visitor.owner), other.store.runs_of(newcomer.owner)
    assert [run.run_id for run in after] == newcomer.panels()
    assert not {run.run_id for run in before} & {run.run_id for run in after}
    for old, new in zip(before, after, strict=True):
        same = ("data_id", "data_name", "method", "parameters", "state", "outcome", "created_s")
        assert [getattr(old, one) for one in same] == [getattr(new, one) for one in same]
        assert (old.name, old.source, old.n_features) == (new.name, new.source, new.n_features)
        planes = [
            [event.to_bytes() for event in one.store.events(run.run_id)]
            for one, run in ((studio, old), (other, new))
        ]
        assert planes[0] == planes[1]
    titles = [[panel["title"] for panel in one.listed()] for one in (visitor, newcomer)]
    assert titles[0] == titles[1]


@pytest.mark.slow
def test_kept_coordinates_come_with_a_run_and_are_checked(studio, other):
    visitor = studio.visitor()
    visitor.choose_file(csv(blobs()), NAME)
    run = visitor.start(method="tsne")
    studio.work()
    raw, newcomer = save(visitor), other.visitor()
    assert open_project(newcomer, raw).status_code == 200
    (opened,) = other.store.runs_of(newcomer.owner)
    assert other.store.report(opened.run_id) == studio.store.report(run)
    forged = io.BytesIO()
    np.save(forged, np.full((4, 2), np.nan))
    (part,) = (name for name in parts_of(raw) if name.startswith("reports/"))
    answer = open_project(other.visitor(), zipped(parts_of(raw) | {part: forged.getvalue()}))
    assert answer.status_code == 400
    assert "does not belong to its data" in answer.text


@pytest.mark.slow
def test_how_few_features_suffice_comes_along_and_is_checked(studio, other):
    visitor, newcomer = studio.visitor(), other.visitor()
    visitor.choose_file(csv(blobs()), NAME)
    fit = studio.store.get(visitor.start(method="lda"))
    studio.work()
    every = tuple(range(fit.n_features))
    size = SparseSize(len(every), 0.9, 0.8, 0.02, every, (1.0,) * len(every))
    report = SparseReport((size,), len(every), n_classes=2, n_refits=5, n_all=5, n_rows=9)
    done = replace(new_analysis(fit, "sparse"), state=RunState.DONE)
    studio.store.create(done, n_bytes=0, report=report.to_bytes())
    raw = save(visitor)
    open_project(newcomer, raw)
    copied_fit, copy = other.store.runs_of(newcomer.owner)
    assert (copy.kind, copy.of_run) == ("sparse", copied_fit.run_id)
    assert other.store.report(copy.run_id) == report.to_bytes()
    (part,) = (name for name in parts_of(raw) if name.startswith("reports/"))
    forged = replace(report, sizes=(replace(size, selected=(*every[1:], 99)),)).to_bytes()
    answer = open_project(other.visitor(), zipped(parts_of(raw) | {part: forged}))
    assert (answer.status_code, "does not belong to its data" in answer.text) == (400, True)


def test_a_tree_is_left_out_of_a_project_since_it_is_computed_again(studio, other):
    visitor, newcomer = studio.visitor(), other.visitor()
    visitor.choose_file(csv(blobs()), NAME)
    fit = studio.store.get(visitor.start(method="melm", n_init=1))
    studio.work()
    studio.store.create(replace(new_analysis(fit, "tree"), state=RunState.DONE), n_bytes=0)
    assert open_project(newcomer, save(visitor)).status_code == 200
    assert [run.kind for run in other.store.runs_of(newcomer.owner)] == [FIT]


def test_a_project_that_is_opened_twice_gives_its_runs_once(project, other):
    visitor = other.visitor()
    open_project(visitor, project)
    answer = open_project(visitor, project)
    expected = "The project has 2 runs (2 here already) and a story of 1 view."
    assert answer.json[WORDS] == expected
    assert len(other.store.runs_of(visitor.owner)) == 2


def test_a_check_comes_along_with_its_report(studio, other):
    visitor, newcomer = studio.visitor(), other.visitor()
    visitor.choose_file(csv(blobs()), NAME)
    fit = studio.store.get(visitor.start(method="lda"))
    studio.work()
    check, report = (
        new_analysis(fit, "check"),
        CheckReport(answer="yes", overlap=((1.0, 0.0), (0.5, 0.5))),
    )
    studio.store.create(replace(check, state=RunState.DONE), n_bytes=0, report=report.to_bytes())
    project = save(visitor)
    raw = parts_of(project)["verdicts/0.json"]
    assert verdict_in(raw)[0].found == report
    open_project(newcomer, project)
    copied_fit, copy = other.store.runs_of(newcomer.owner)
    assert (copy.kind, copy.of_run, copy.state) == (check.kind, copied_fit.run_id, RunState.DONE)
    assert CheckReport.from_bytes(other.store.report(copy.run_id)) == report


def test_a_report_of_other_classes_is_refused(studio, other):
    visitor, newcomer = studio.visitor(), other.visitor()
    visitor.choose_file(csv(blobs()), NAME)
    fit = studio.store.get(visitor.start(method="lda"))
    studio.work()
    report = CheckReport(overlap=((1.0,),)).to_bytes()
    studio.store.create(
        replace(new_analysis(fit, "check"), state=RunState.DONE), n_bytes=0, report=report
    )
    answer = open_project(newcomer, save(visitor))
    assert "does not belong to its data" in answer.json[WORDS]
    assert other.store.runs_of(newcomer.owner) == []


def test_a_run_at_work_is_saved_as_one_that_can_go_on(studio, other):
    visitor, newcomer = studio.visitor(), other.visitor()
    visitor.choose_sample("wine")
    visitor.start(method="melm")
    open_project(newcomer, save(visitor))
    (run,) = other.store.runs_of(newcomer.owner)
    assert run.state is RunState.CANCELLED
    assert reopen(other.store, run.run_id)
    studio.work()


def test_runs_of_other_tables_stay_at_home(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    visitor.start(method="pca")
    studio.work()
    visitor.choose_file(csv(blobs()), NAME)
    parts = parts_of(save(visitor))
    assert json.loads(parts["project.json"])["runs"] == []


def test_another_visitor_cannot_save_what_is_not_theirs(saved, studio):
    visitor, _ = saved
    source = visitor.values[f"{ids.DATA}.data"]["source"]
    answer = studio.visitor().http.post("/project-file", json={"source": source})
    assert answer.status_code == 400
    assert "no longer stored here" in answer.json[WORDS]


def test_other_sites_cannot_open_or_save_projects(visitor):
    for address in ("/project", "/project-file"):
        answer = visitor.http.post(address, headers={"Sec-Fetch-Site": "cross-site"})
        assert answer.status_code == 403


def change_version(values):
    values["version"] = VERSION + 1
    values["what was added since"] = 1


CHANGES = {
    "newer": (change_version, "saved by a newer studio, in version 2 of the format"),
    "unknown method": (lambda v: v["runs"][0].update(method="magic"), "The method must be one of"),
    "no parameter": (
        lambda v: v["runs"][0]["parameters"].update(n_components=99),
        "Components must be a whole number from 1 to 3",
    ),
    "state": (
        lambda v: v["runs"][0].update(state="running"),
        "its state is running",
    ),
    "path": (lambda v: v["shown"].update(key="../../etc/passwd"), "hexadecimal digits"),
    "sample": (
        lambda v: v["shown"].update(kind="sample", key="/etc/passwd"),
        "The sample must be one of",
    ),
    "check of nothing": (lambda v: v["runs"][0].update(kind="check"), "does not name the run"),
    "check of itself": (lambda v: v["runs"][0].update(kind="check", of=0), "is not in it"),
    "unknown field": (lambda v: v["runs"][0].update(owner="ada"), "has no 'owner'"),
    "gamma path": (
        lambda v: v["runs"][0]["outcome"].update(gamma_path={"gammas": "x"}),
        "must be",
    ),
    "views": (lambda v: v["story"].update(views=[{}]), "The view is missing"),
    "half of a character": (lambda v: v["runs"][0].update(name="\ud800"), "is not a project"),
}


@pytest.mark.parametrize(("change", "reason"), CHANGES.values(), ids=CHANGES)
def test_a_changed_description_is_refused_and_leaves_nothing(project, other, change, reason):
    visitor = other.visitor()
    answer = open_project(visitor, manifest_with(project, change))
    assert answer.status_code == 400
    assert reason in answer.json[WORDS]
    assert other.store.runs_of(visitor.owner) == []


def history_of(components, **changes) -> bytes:
    header = {
        "sequence": 0, "objective": 1.0, "best_objective": 1.0, "start": 1, "n_starts": 1,
        "iteration": 0, "n_evaluations": 1, "stage": "s", "fraction": 1.0, "elapsed_s": 0.0,
        "is_final": True, "shape": list(np.shape(components)),
    }  # fmt: skip
    text = json.dumps(header | changes).encode()
    raw = struct.pack("<I", len(text)) + text + np.array(components, "<f8").tobytes()
    return struct.pack("<I", len(raw)) + raw


HISTORIES = {
    "cut off": (b"\x09\0", "cannot be read"),
    "huge": (struct.pack("<I", 2**32 - 1), "cannot be read"),
    "no JSON": (struct.pack("<II", 9, 5) + b"hello", "cannot be read"),
    "skewed": (history_of([[1.0, 0.5]]), "cannot be read"),
    "not finite": (history_of([[np.nan, 1.0]]), "cannot be read"),
    "other shape": (history_of([[1.0, 0.0]], shape=[2**40, 2**40]), "cannot be read"),
    "other features": (history_of([[1.0, 0.0, 0.0]]), "planes of 3 features"),
    "no number": (history_of([[1.0, 0.0]], objective="high"), "cannot be read"),
    "a number beyond all": (history_of([[1.0, 0.0]], sequence=2**70), "cannot be read"),
    "a number below none": (history_of([[1.0, 0.0]], sequence=-1), "cannot be read"),
    "later evaluations": (history_of([[1.0, 0.0]], n_evaluations=2**70), "cannot be read"),
    "overflowing": (history_of([[1e308, 1e308]]), "cannot be read"),
    "denormal": (history_of([[5e-324, 0.0]]), "cannot be read"),
    "no objective": (history_of([[1.0, 0.0]], objective=np.nan), "cannot be read"),
    "no best objective": (history_of([[1.0, 0.0]], best_objective=np.nan), "cannot be read"),
    "an endless objective": (history_of([[1.0, 0.0]], objective=np.inf), "cannot be read"),
    "an endless best": (history_of([[1.0, 0.0]], best_objective=np.inf), "cannot be read"),
    "long stage": (history_of([[1.0, 0.0]], stage="s" * 1_000), "cannot be read"),
}


@pytest.mark.attack
@pytest.mark.parametrize(("history", "reason"), HISTORIES.values(), ids=HISTORIES)
def test_a_changed_history_is_refused_and_leaves_nothing(project, other, history, reason):
    visitor = other.visitor()
    raw = zipped(parts_of(project) | {"histories/1": history})
    answer = open_project(visitor, raw)
    assert answer.status_code == 400
    assert reason in answer.json[WORDS]
    assert other.store.runs_of(visitor.owner) == []


def bomb() -> bytes:
    return zipped({"project.json": b" " * 40_000_000})


def entries(n: int) -> bytes:
    return zipped({f"histories/{i}": b"" for i in range(n)})


def with_sizes(n_bytes: int) -> bytes:
    """A part whose head claims another size than it has."""
    raw = bytearray(zipped({"project.json": b" " * 9_000_000}))
    directory = raw.index(b"PK\1\2")
    raw[22:26] = raw[directory + 24 : directory + 28] = struct.pack("<I", n_bytes)
    return bytes(raw)


def overlapping() -> bytes:
    """Two parts that begin at the same place."""
    raw = bytearray(zipped({"project.json": b"{}", "projectx.json": b"{}"}))
    second = raw.index(b"PK\1\2", raw.index(b"PK\1\2") + 4)
    raw[second + 42 : second + 46] = bytes(4)
    return bytes(raw)


def twice() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("project.json", b"{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("project.json", b"{}")
    return file.getvalue()


def link() -> bytes:
    """A part that is a symbolic link, as Unix marks it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        part = zipfile.ZipInfo("project.json")
        part.external_attr = 0o120777 << 16
        archive.writestr(part, b"/etc/passwd")
    return file.getvalue()


# Made by the test: some take longer than all else that is collected.
FILES = {
    "empty": (lambda: b"", "is not a project"),
    "text": (lambda: b"x,y,label\n1,2,a\n", "is not a project"),
    "other archive": (lambda: zipped({"table.csv": b"1"}), "damaged or incomplete"),
    "no project": (lambda: zipped({"project.json": b"{}"}), "is not a project"),
    "deep": (lambda: zipped({"project.json": b"[" * 100_000}), "is not a project"),
    "bomb": (bomb, "damaged or incomplete"),
    "nested bomb": (lambda: zipped({"project.json": bomb()}), "is not a project"),
    "claims less than it has": (lambda: with_sizes(9), "is damaged"),
    "claims more than it has": (lambda: with_sizes(2**30), "is not a project"),
    "overlapping parts": (overlapping, "is not a project"),
    "a part twice": (twice, "is damaged"),
    "a link": (link, "is not a project"),
    "many entries": (lambda: entries(20_000), "is not a project"),
}


@pytest.mark.attack
@pytest.mark.parametrize(("made", "reason"), FILES.values(), ids=FILES)
def test_another_file_gets_a_sentence(visitor, made, reason):
    answer = open_project(visitor, made())
    assert answer.status_code == 400
    assert reason in answer.json[WORDS]


def test_parts_that_no_project_has_are_refused(project, visitor):
    raw = zipped(parts_of(project) | {"../../home/me/.bashrc": b"x"})
    assert "not part of a project" in open_project(visitor, raw).json[WORDS]


def test_a_table_under_the_name_of_another_is_refused(project, visitor):
    parts = parts_of(project)
    (name,) = (part for part in parts if part.startswith("tables/"))
    raw = zipped(parts | {name: parts[name] + b"9,9,a\n"})
    assert "not the one that it names" in open_project(visitor, raw).json[WORDS]


def test_a_damaged_file_gets_a_sentence(project, visitor):
    at = project.index(b"histories/0") + 80
    raw = project[:at] + bytes(40) + project[at + 40 :]
    answer = open_project(visitor, raw)
    assert answer.status_code == 400
    assert "damaged" in answer.json[WORDS] or "cannot be read" in answer.json[WORDS]


def test_more_than_fits_is_refused_before_it_is_unpacked(project, tmp_path):
    with opened_studio(tmp_path, max_session_mb=1) as studio:
        answer = open_project(studio.visitor(), zipped({"tables/x": bytes(3 * 2**20)}))
        assert answer.status_code == 400
        assert "holds 3 MB when it is unpacked, and at most 1 MB" in answer.json[WORDS]


@pytest.mark.slow
def test_a_full_page_takes_no_further_panels_and_loses_none(project, studio):
    visitor = studio.visitor()
    visitor.choose_file(csv(blobs()), NAME)
    for seed in range(8):
        visitor.start(method="pca", random_state=seed)
    answer = open_project(visitor, project)
    assert answer.status_code == 409
    assert "9 panels" in answer.json[WORDS]
    assert len(studio.store.runs_of(visitor.owner)) == 8
    studio.work()


@pytest.mark.fault
def test_two_web_processes_that_open_a_project_at_once_store_it_once(
    project, studio, monkeypatch, tmp_path
):
    """Its request is repeated, and may reach the one and the other."""
    visitor = studio.visitor()
    create = studio.store.create

    def create_after_the_other(*arguments, **options):
        monkeypatch.undo()
        settings = Settings(data_dir=tmp_path)
        own = Workspace(studio.store, visitor.owner, settings, own_file_reader(settings))
        assert opened_project(own, "the same", lambda: project).n_known == 0
        return create(*arguments, **options)

    monkeypatch.setattr(studio.store, "create", create_after_the_other)
    assert open_project(visitor, project).status_code == 200
    assert [run.method for run in studio.store.runs_of(visitor.owner)] == ["melm", "pca"]


def test_the_sheet_of_the_table_opens_one(visitor):
    visitor.fire(ids.RECENT_OPEN, "n_clicks", 1)
    parts = [*components(visitor.values[f"{ids.RECENT_LIST}.children"])]
    assert "open" in {part["props"].get("data-project") for part in parts}


@pytest.mark.attack
def test_a_plane_before_any_objective_is_read():
    history = history_of([[1.0, 0.0]], objective=-np.inf, best_objective=-np.inf)
    (event,) = checked_events(io.BytesIO(history), 2, 1)
    assert event.best_objective == -np.inf
