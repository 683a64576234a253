"""A verdict comes out again from its table, and whatever is changed is found."""

from __future__ import annotations

import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from melm_core.base import UserError
from melm_studio.analyses import check
from melm_studio.analyses.verdict_file import MOST_BYTES, VERSION, seal_of, verdict_in, written
from melm_studio.command import main
from melm_studio.programs import verify_verdict
from melm_studio.programs.own_process import studio_in_this_process
from melm_studio.programs.verify_verdict import compared, verified
from melm_studio.validation import InputError

NAME = "points.csv"


@pytest.fixture(scope="module", autouse=True)
def few_shuffles():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "N_PERMUTATIONS", 19)
        patch.setattr(check, "N_RESAMPLES", 2)
        yield


@pytest.fixture(scope="module")
def table() -> bytes:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a", "b", "c"])
    kinds = rng.permutation(np.repeat(["x", "y"], 20))
    frame.loc[kinds == "y", "a"] += 2.0
    return frame.assign(kind=kinds).round(4).to_csv(index=False).encode()


@pytest.fixture(scope="module")
def verdict(table) -> bytes:
    with studio_in_this_process() as client:
        source = {**client.upload(table, NAME), "label": "kind"}
        run = client.finished(client.start(source, "lda").id)
        with pytest.raises(UserError, match=r"no verdict yet\. Ask “Is it real"):
            client.verdict(run.id)
        words = client.checked(run.id).words
        raw = client.verdict(run.id)
        assert json.loads(raw)["sentence"] == words
        return raw


@pytest.fixture(scope="module")
def key(tmp_path_factory) -> str:
    private = Ed25519PrivateKey.generate()
    file = tmp_path_factory.mktemp("key") / "key.pem"
    form = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file.write_bytes(private.private_bytes(*form))
    return str(file)


@pytest.fixture
def comes_out(verdict, monkeypatch):
    """The verdict, without the time to compute it again."""
    again = verdict_in(verdict)[0]
    monkeypatch.setattr(verify_verdict, "_again", lambda *_: again)
    return verdict


def changed(raw: bytes, *path: str | int, to: object) -> bytes:
    """The file with another value, sealed anew as a forger would."""
    values = json.loads(raw)
    place = values
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    return json.dumps(values | {"seal": seal_of(values)}).encode()


def differing(lines) -> set[str]:
    return {line.name for line in lines if line.state == "differs"}


def against(raw: bytes, other: bytes) -> set[str]:
    return differing(compared(verdict_in(raw)[0], verdict_in(other)[0]))


@pytest.mark.slow
def test_it_comes_out_again_under_another_name(verdict, table):
    lines = verified(verdict, table, "copy.csv")
    assert differing(lines) == set()
    assert {"file", "split", "table.columns", "found.scores", "picture"} <= {x.name for x in lines}


@pytest.mark.slow
def test_it_has_hashes_of_the_rows_and_no_cells(verdict, table):
    frame = pd.read_csv(io.BytesIO(table))
    found = json.loads(verdict)
    assert set(found["table"]["columns"]) == {"a", "b", "c"}
    assert {len(points) for points in found["places"].values()} == {20}
    assert not any(str(value) in verdict.decode() for value in frame["b"])


def test_a_changed_cell_is_found_in_its_column(verdict, table):
    frame = pd.read_csv(io.BytesIO(table))
    frame.loc[7, "b"] += 0.001
    lines = verified(verdict, frame.to_csv(index=False).encode(), NAME)
    (words,) = (line.words for line in lines if line.name == "table.columns")
    assert {"table.sha256", "table.columns"} <= differing(lines)
    assert words == "b: another hash"


@pytest.mark.slow
def test_a_changed_label_is_found(verdict, table):
    frame = pd.read_csv(io.BytesIO(table))
    frame.loc[7, "kind"] = {"x": "y", "y": "x"}[frame.loc[7, "kind"]]
    found = differing(verified(verdict, frame.to_csv(index=False).encode(), NAME))
    assert {"table.sha256", "table.labels", "table.classes", "split"} <= found


@pytest.mark.slow
def test_other_bytes_of_the_same_numbers_are_no_other_cells(verdict, table):
    first = table.split(b",")[4]
    assert first.count(b".") == 1
    saved_again = table.replace(first, first + b"000000001", 1).replace(b"\n", b"\r\n")
    lines = verified(verdict, saved_again, NAME)
    assert differing(lines) == {"table.sha256"}


@pytest.mark.parametrize(
    ("path", "to", "line"),
    [
        (("split",), "0" * 64, "split"),
        (("n_folds",), 3, "n_folds"),
        (("sentence",), "Yes. 100 % of held-out rows are told apart.", "sentence"),
        (("found", "answer"), "unknown", "found.answer"),
        (("found", "scores", "KDE", 1), 0.99, "found.scores"),
        (("found", "p_value"), 0.6, "found.p_value"),
        (("found", "n_permutations"), 999, "found.n_permutations"),
        (("found", "overlap", 0, 1), 0.5, "found.overlap"),
        (("found", "notes"), ["Nothing was left out."], "found.notes"),
        (("found", "without"), [{"what": "a", "share": 1, "standard_error": 0}], "found.without"),
        (("table", "groups"), "0" * 64, "table.groups"),
        (("table", "roles", "b"), "ignored", "table.roles"),
        (("table", "twins"), ["b: it is the label"], "table.twins"),
        (("table", "columns", "b"), "0" * 64, "table.columns"),
        (("gamma",), 0.5, "gamma"),
        (("places", "x", 3), [9.0, 9.0], "picture"),
        (("places", "x", 3), [9.0], "picture"),
        (("places",), {}, "picture"),
    ],
)  # fmt: skip
def test_a_change_that_is_sealed_anew_is_found(verdict, path, to, line):
    assert line in against(changed(verdict, *path, to=to), verdict)


def test_a_share_may_be_a_little_apart_and_says_by_how_much(verdict):
    share = json.loads(verdict)["found"]["scores"]["linear"][1]
    other = changed(verdict, "found", "scores", "linear", 1, to=share - 0.004)
    lines = {line.name: line for line in compared(verdict_in(other)[0], verdict_in(verdict)[0])}
    assert lines["found.scores"].state == "agrees"
    assert "0.004 apart, 0.01 allowed" in lines["found.scores"].words


def test_another_version_is_a_note(verdict):
    other = changed(verdict, "versions", "numpy", to="1.0")
    lines = {line.name: line for line in compared(verdict_in(other)[0], verdict_in(verdict)[0])}
    assert lines["versions"].state == "note"
    assert "'1.0'" in lines["versions"].words


def test_a_change_without_a_new_seal_is_found(comes_out, table):
    found = verified(comes_out.replace(b'"made": "20', b'"made": "19'), table, NAME)
    assert differing(found) == {"file"}


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "not a verdict, or is damaged"),
        (b"[" * 100_000, "not a verdict, or is damaged"),
        (b'{"format": "melm-studio verdict", "version": 1e999}', "not a verdict"),
        (b'{"format": "melm-studio verdict", "version": NaN}', "not a verdict"),
        (b'{"format": "melm-studio verdict", "version": 1, "version": 1}', "not a verdict"),
        (b'{"format": "melm-studio verdict", "version": %d}' % 10**30, "not a verdict"),
        (b'{"format": "melm-studio verdict", "version": 1}', "is missing"),
        (b'{"format": "melm-studio verdict", "version": %d}' % (VERSION + 1), "Update the studio"),
        (b'{"format": "melm-studio project", "version": 1}', "not a verdict"),
        (b" " * (MOST_BYTES + 1), "larger than 32 MB"),
    ],
)
def test_what_is_no_verdict_is_refused_in_a_sentence(raw, sentence):
    with pytest.raises(InputError, match=sentence):
        verdict_in(raw)


def test_a_truncated_verdict_and_one_of_another_shape_are_refused(verdict):
    other = changed(verdict, "found", "overlap", to=[[0.0]])
    for raw in (verdict[:-20], other, changed(verdict, "gamma", to=np.nan)):
        with pytest.raises(InputError, match="not a verdict, or is damaged"):
            verdict_in(raw)
    with pytest.raises(InputError, match="must be a whole number"):
        verdict_in(changed(verdict, "table", "n_rows", to=-1))


def test_the_command_says_what_differs_by_its_exit_code(comes_out, table, tmp_path, capsys):
    (tmp_path / NAME).write_bytes(table)
    forged = changed(comes_out, "table", "roles", "\x1b[2J", to="numeric")
    for raw, code, words in ((comes_out, 0, "0 of 30 lines"), (forged, 1, "1 of 30 lines")):
        (tmp_path / "v.json").write_bytes(raw)
        assert main(["verify", str(tmp_path / "v.json"), str(tmp_path / NAME)]) == code
        printed = capsys.readouterr().out
        assert f"{words} differ." in printed
        assert "\x1b" not in printed


@pytest.mark.parametrize(
    ("other", "words"), [(b"d,e\n1,2\n3,4\n", "which may be another"), (None, "Name that file")]
)
def test_another_table_and_none_are_refused(verdict, other, words, tmp_path, capsys):
    (tmp_path / "v.json").write_bytes(verdict)
    given = [] if other is None else [str(tmp_path / NAME)]
    (tmp_path / NAME).write_bytes(other or b"")
    assert main(["verify", str(tmp_path / "v.json"), *given]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_a_signature_is_of_its_key_and_of_what_was_signed(comes_out, table, key):
    own = verdict_in(comes_out)[0]
    signed = written(own, key)
    public = json.loads(signed)["signature"]["public_key"]
    assert differing(verified(signed, table, NAME, public)) == set()
    forged = changed(signed, "made", to="2001-01-01T00:00:00+00:00")
    assert differing(verified(forged, table, NAME)) == {"signature"}
    assert differing(verified(signed, table, NAME, "0" * 64)) == {"signature"}
    assert differing(verified(comes_out, table, NAME, public)) == {"signature"}


def test_what_signs_may_be_missing(verdict, key, tmp_path, monkeypatch):
    own = verdict_in(verdict)[0]
    with pytest.raises(UserError, match=r"cannot sign verdicts.*openssl genpkey"):
        written(own, str(tmp_path / "nothing.pem"))
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    with pytest.raises(UserError, match="need the package cryptography"):
        written(own, key)


def test_one_class_has_no_verdict_and_says_what_to_do():
    with studio_in_this_process() as client:
        source = client.upload(b"a,b\n1.5,2\n2,1.5\n3,5\n4,4.5\n5,9\n", NAME)
        run = client.finished(client.start(source, "pca").id)
        with pytest.raises(UserError, match="one class, so there is nothing to tell apart"):
            client.verdict(run.id)


@pytest.mark.slow
def test_a_sample_needs_no_table():
    with studio_in_this_process() as client:
        run = client.finished(client.start({"kind": "sample", "key": "iris"}, "pca").id)
        client.checked(run.id)
        raw = client.verdict(run.id)
    assert differing(verified(raw, None)) == set()
    with pytest.raises(UserError, match="Leave the table out"):
        verified(raw, b"a,b\n1,2\n")
