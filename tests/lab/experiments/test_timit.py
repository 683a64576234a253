"""TIMIT from a small corpus of the same form: SPHERE or RIFF sounds, phones beside them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.io import wavfile

from lab.experiments import timit
from lab.experiments.records import Settings
from lab.experiments.tables import gem_tables

RATE = 16_000
# Each phone of 0.2 s is a tone of its own.
TONES = {"h#": 200.0, "iy": 700.0, "sh": 3_000.0}


def sound(seed=0):
    """Samples and lines of phones of one sentence."""
    stream = np.random.default_rng(seed)
    n = RATE // 5
    waves = [np.sin(2 * np.pi * hertz * np.arange(n) / RATE) for hertz in TONES.values()]
    samples = 8_000 * np.concatenate(waves) + 50 * stream.standard_normal(3 * n)
    lines = [f"{i * n} {(i + 1) * n} {phone}" for i, phone in enumerate(TONES)]
    return samples.astype(np.int16), "\n".join(lines) + "\n"


def sphere(samples, order="01", coding="pcm"):
    head = (
        f"NIST_1A\n   1024\nchannel_count -i 1\nsample_rate -i {RATE}\nsample_n_bytes -i 2\n"
        f"sample_byte_format -s2 {order}\nsample_coding -s3 {coding}\nend_head\n"
    )
    kind = ">i2" if order == "10" else "<i2"
    return head.encode().ljust(1024) + samples.astype(kind).tobytes()


def put(root, place, seed=0, riff=False):
    """Write a sentence of a speaker, as "TRAIN/DR1/FCJF0/SI1027"."""
    samples, phones = sound(seed)
    path = root / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_suffix(".PHN").write_text(phones)
    if riff:
        wavfile.write(path.with_suffix(".WAV.wav"), RATE, samples)
    else:
        path.with_suffix(".WAV").write_bytes(sphere(samples))


@pytest.fixture
def folder(tmp_path):
    for i in range(4):
        put(tmp_path / "TIMIT", f"TRAIN/DR1/FCJF{i}/SI{i}", seed=i)
    put(tmp_path / "TIMIT", "TRAIN/DR1/FCJF0/SA1", seed=9)
    put(tmp_path / "TIMIT", "TEST/DR1/MDAB0/SX1", seed=20, riff=True)
    put(tmp_path / "TIMIT", "TEST/DR1/FAKS0/SX2", seed=21)  # not of the core test set
    return tmp_path


def test_frames_have_eleven_times_39_coefficients_and_phones_three_states(folder):
    train, test = timit.load(folder, most_rows=10_000)
    n_frames = (3 * RATE // 5 - 400) // 160 + 1
    assert train.X.shape == (4 * n_frames, 429)
    assert test.X.shape == (n_frames, 429)
    assert set(train.y) == set(range(9))  # three phones of three states
    # The middle of the context is the frame, of mean 0 and deviation 1.
    own = train.X[:, 5 * 39 : 6 * 39]
    np.testing.assert_allclose(own.mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(own.std(axis=0), 1, atol=1e-3)
    np.testing.assert_allclose(train.X[1, : 10 * 39], train.X[0, 39:], atol=1e-6)


def test_a_sample_has_every_class_and_no_more_rows_than_asked_for(folder):
    train, _ = timit.load(folder, most_rows=20)
    assert len(train.y) == 20
    assert set(train.y) == set(range(9))


@pytest.mark.parametrize("order", ["01", "10"])
def test_both_byte_orders_and_riff_give_the_same_samples(tmp_path, order):
    samples, _ = sound()
    (tmp_path / "a.WAV").write_bytes(sphere(samples, order))
    wavfile.write(tmp_path / "b.WAV", RATE, samples)
    np.testing.assert_array_equal(timit.read_sound(tmp_path / "a.WAV"), samples)
    np.testing.assert_array_equal(timit.read_sound(tmp_path / "b.WAV"), samples)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (sphere(np.zeros(4), coding="pcm,embedded-shorten-v2.00"), "or compressed"),
        (b"ID3\x03", "neither NIST SPHERE nor RIFF"),
    ],
)
def test_another_sound_is_refused(tmp_path, content, message):
    (tmp_path / "a.WAV").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        timit.read_sound(tmp_path / "a.WAV")


def test_a_tone_is_loudest_in_the_filter_around_it():
    filters = timit.mel_filters()
    for hertz in (300.0, 1_000.0, 4_000.0):
        at = round(hertz / RATE * 512)
        assert filters[:, at].sum() == pytest.approx(1.0)
        peaks = filters.argmax(axis=1) * RATE / 512
        nearest = np.abs(peaks - hertz).argsort()[:2]
        assert filters[:, at].argmax() in nearest


def test_twice_as_loud_moves_the_energy_alone():
    samples, _ = sound()
    quiet, loud = timit.coefficients(samples * 1.0), timit.coefficients(samples * 2.0)
    np.testing.assert_allclose(loud[:, :12], quiet[:, :12], atol=1e-8)
    np.testing.assert_allclose(loud[:, 12] - quiet[:, 12], 2 * np.log(2))
    np.testing.assert_allclose(loud[:, 13:], quiet[:, 13:], atol=1e-8)


def test_a_folder_without_the_corpus_is_refused_with_a_way_out(tmp_path):
    assert timit.find(tmp_path) is None
    with pytest.raises(FileNotFoundError, match="or pass another folder with --data"):
        timit.load(tmp_path, most_rows=10)


def test_a_test_set_without_core_speakers_is_refused(tmp_path):
    put(tmp_path, "train/dr1/fcjf0/si1")
    put(tmp_path, "test/dr1/faks0/sx2")
    with pytest.raises(FileNotFoundError, match=r"no sentence with its phones in TEST \(core"):
        timit.load(tmp_path, most_rows=10)


def test_phones_of_another_form_are_refused(folder):
    (folder / "TIMIT/TRAIN/DR1/FCJF0/SI0.PHN").write_text("0 h#\n")
    with pytest.raises(ValueError, match="the first and the last sample of a phone"):
        timit.load(folder, most_rows=10)


@pytest.mark.slow
def test_the_result_tables_take_the_corpus_where_it_is(folder):
    settings = Settings(data=folder, results=folder / "results", computes=False)
    titles = [section.title for section in gem_tables.report(settings).sections]
    assert "TIMIT" in titles
    values = gem_tables.cell(
        folder,
        name="timit",
        method="ensemble of 5 hypercubes",
        most_rows=120,
        parameters={"n_directions": 1, "l2": 0.1},
        seed=0,
    )
    assert values["error (%)"] < 50
