"""Frames of TIMIT from the corpus that a person has; it cannot be redistributed.

As section 4.3 of the GEM paper: 12 mel frequency cepstral coefficients and the energy with their
first and second derivatives, of a frame and of the five before and after it, 429 numbers; the
classes are the thirds of the 61 phones. The paper's thirds are those of an alignment that it does
not print; here they are equally long.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.fft import dct
from scipy.io import wavfile

from lab.experiments.data import DataSet
from melm_core.base import FloatArray, IntArray

# The core test set of the corpus' documentation, 24 speakers.
_CORE_TEST_SPEAKERS = (
    "mdab0 mwbt0 felc0 mtas1 mwew0 fpas0 mjmp0 mlnt0 fpkt0 mlll0 mtls0 fjlm0 "
    "mbpm0 mklt0 fnlp0 mcmj0 mjdh0 fmgd0 mgrt0 mnjm0 fdhc0 mjln0 mpam0 fmld0"
)
CORE_TEST = frozenset(_CORE_TEST_SPEAKERS.split())
_N_STATES = 3  # of a phone
_CONTEXT = 5  # frames before and after
_RATE = 16_000
_FRAME, _HOP, _TRANSFORM = 400, 160, 512  # 25 ms, 10 ms
_N_FILTERS, _N_CEPSTRA = 26, 12
_PRE_EMPHASIS = 0.97
_REACH = 2  # frames of the regression that a derivative is
_HEAD = b"NIST_1A"
_TINY = 1e-10


def find(folder: Path) -> Path | None:
    """The folder of the corpus, with TRAIN and TEST in it, in upper or lower case; else None."""
    places = [folder, *(child for child in _children(folder) if child.name.lower() == "timit")]
    return next((one for one in places if {"train", "test"} <= _names(one)), None)


def load(folder: Path, *, most_rows: int, seed: int = 0) -> tuple[DataSet, DataSet]:
    """Load frames of the training speakers and of the core test speakers.

    Parameters
    ----------
    folder : Path
        With the corpus, `TRAIN/DR1/FCJF0/SI1027.WAV` and `.PHN`, as it is published, or TIMIT in
        it. Sound is NIST SPHERE or RIFF, of 16 bits at 16 kHz. Sentences SA are left out, since
        all speakers read the same.
    most_rows : int
        Most frames of each set, drawn at random; one of every class of the training set is kept.
    seed : int

    Returns
    -------
    train, test : DataSet
        With the same codes of classes; coefficients have mean 0 and standard deviation 1 over the
        training frames.

    Raises
    ------
    FileNotFoundError
        If there is no corpus, or no sentence of one of the sets.
    ValueError
        If a file is not in these formats.
    """
    corpus = find(folder)
    if corpus is None:
        raise FileNotFoundError(
            f"TIMIT is not in {folder}, which has no folders TRAIN and TEST, nor TIMIT with these. "
            "Add the corpus, or pass another folder with --data."
        )
    stream = np.random.default_rng(seed)
    parts = [list(_sentences(corpus, part)) for part in ("train", "test")]
    for part, sentences in zip(("TRAIN", "TEST (core speakers)"), parts, strict=True):
        if not sentences:
            raise FileNotFoundError(f"{corpus} has no sentence with its phones in {part}. Add it.")
    every = np.vstack([frames for frames, _ in parts[0]])
    center = every.mean(axis=0, dtype=np.float64)
    width = np.maximum(every.std(axis=0, dtype=np.float64), _TINY)
    names = np.unique(np.concatenate([labels for part in parts for _, labels in part]))
    coded = [
        [((frames - center) / width, np.searchsorted(names, labels)) for frames, labels in part]
        for part in parts
    ]
    train, test = (_sampled(sentences, most_rows, stream) for sentences in coded)
    return train, test


def read_sound(path: Path) -> FloatArray:
    """Samples of a NIST SPHERE or RIFF file of 16 bits at 16 kHz.

    Raises
    ------
    ValueError
        If the file is of another form.
    """
    raw = path.read_bytes()
    if not raw.startswith(_HEAD):
        if raw[:4] != b"RIFF":
            raise ValueError(f"{path.name} is neither NIST SPHERE nor RIFF. Add the original file.")
        rate, samples = wavfile.read(path)
        if rate != _RATE or samples.dtype != np.int16 or samples.ndim != 1:
            raise ValueError(f"{path.name} is not one channel of 16 bits at 16 kHz. Convert it.")
        return np.asarray(samples, dtype=np.float64)
    size = int(raw.split(b"\n", 2)[1])
    head = {
        words[0]: words[2]
        for line in raw[:size].decode("ascii", "replace").splitlines()
        if len(words := line.split(maxsplit=2)) == 3
    }
    wanted = {"sample_rate": str(_RATE), "sample_n_bytes": "2", "channel_count": "1"}
    is_as_wanted = all(head.get(key, value) == value for key, value in wanted.items())
    if not is_as_wanted or head.get("sample_coding", "pcm") != "pcm":
        raise ValueError(
            f"{path.name} is not one channel of 16 bits at 16 kHz, or compressed. Convert it to "
            "uncompressed NIST SPHERE or RIFF, such as by sph2pipe."
        )
    order = ">i2" if head.get("sample_byte_format") == "10" else "<i2"
    return np.frombuffer(raw, order, offset=size).astype(np.float64)


def coefficients(samples: FloatArray) -> FloatArray:
    """Cepstral coefficients 1 to 12, log energy, and their first and second derivatives.

    Parameters
    ----------
    samples : ndarray of shape (n_samples,)
        400 or more, at 16 kHz.

    Returns
    -------
    ndarray of shape (n_frames, 39)
        A frame of 25 ms every 10 ms.
    """
    emphasized = np.append(samples[0], samples[1:] - _PRE_EMPHASIS * samples[:-1])
    windowed = _frames(emphasized) * np.hamming(_FRAME)
    power = np.square(np.abs(np.fft.rfft(windowed, _TRANSFORM)))
    cepstra = dct(np.log(np.maximum(power @ mel_filters().T, _TINY)), norm="ortho")
    energy = np.log(np.maximum(np.square(_frames(samples)).sum(axis=1), _TINY))
    static = np.column_stack([cepstra[:, 1 : _N_CEPSTRA + 1], energy])
    first = _derivative(static)
    return np.hstack([static, first, _derivative(first)])


def mel_filters() -> FloatArray:
    """Triangles that are equally wide in mel, of shape (26, 257), over the bins of a transform."""

    def mel(hertz: float) -> float:
        return float(2595.0 * np.log10(1.0 + hertz / 700.0))

    at = 700.0 * (10.0 ** (np.linspace(0.0, mel(_RATE / 2), _N_FILTERS + 2) / 2595.0) - 1.0)
    bins = np.arange(_TRANSFORM // 2 + 1) * _RATE / _TRANSFORM
    left, middle, right = (at[first : first + _N_FILTERS, None] for first in range(3))
    rising, falling = (bins - left) / (middle - left), (right - bins) / (right - middle)
    filters: FloatArray = np.maximum(0.0, np.minimum(rising, falling))
    return filters


def _children(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _names(folder: Path) -> set[str]:
    return {child.name.lower() for child in _children(folder) if child.is_dir()}


def _sentences(
    corpus: Path, part: str
) -> Iterator[tuple[npt.NDArray[np.float32], npt.NDArray[np.str_]]]:
    """Coefficients of each sentence, as single precision, with the class of every frame."""
    (root,) = (child for child in _children(corpus) if child.name.lower() == part)
    for phones in sorted(root.rglob("*")):
        if phones.suffix.lower() != ".phn" or phones.stem.lower().startswith("sa"):
            continue
        if part == "test" and phones.parent.name.lower() not in CORE_TEST:
            continue
        names = {f"{phones.stem}{ending}".lower() for ending in (".wav", ".wav.wav")}
        beside = (one for one in phones.parent.iterdir() if one.name.lower() in names)
        sound = next(beside, None)
        if sound is None:
            raise ValueError(f"{phones} has no sound beside it. Add {phones.stem}.WAV.")
        frames = coefficients(read_sound(sound)).astype(np.float32)
        yield frames, _states(phones, len(frames))


def _states(path: Path, n_frames: int) -> npt.NDArray[np.str_]:
    """The phone and its third at the middle of every frame."""
    middles = np.arange(n_frames) * _HOP + _FRAME // 2
    labels = np.full(n_frames, "h#_0", dtype="U8")
    for line in path.read_text("ascii").splitlines():
        words = line.split()
        if len(words) != 3 or not (words[0].isdigit() and words[1].isdigit()):
            raise ValueError(
                f"{path} has the line {line!r}; a line has the first and the last sample of a "
                "phone and its name. Add the original file."
            )
        start, end = int(words[0]), int(words[1])
        inside = (middles >= start) & (middles < end)
        thirds = _N_STATES * (middles[inside] - start) // max(1, end - start)
        labels[inside] = [f"{words[2]}_{third}" for third in thirds]
    return labels


def _sampled(
    sentences: list[tuple[FloatArray, IntArray]], most_rows: int, stream: np.random.Generator
) -> DataSet:
    """Random frames with those around them, at the ends of a sentence the last one again."""
    codes = np.concatenate([codes for _, codes in sentences])
    order = stream.permutation(len(codes))
    _, first = np.unique(codes[order], return_index=True)
    chosen = np.zeros(len(codes), dtype=bool)
    chosen[order[first]] = True
    rest = order[~chosen[order]]
    chosen[rest[: max(0, most_rows - len(first))]] = True
    ends = np.cumsum([len(own) for _, own in sentences])
    rows = []
    for (frames, _), own in zip(sentences, np.split(chosen, ends[:-1]), strict=True):
        around = np.flatnonzero(own)[:, None] + np.arange(-_CONTEXT, _CONTEXT + 1)
        rows.append(frames[np.clip(around, 0, len(frames) - 1)].reshape(len(around), -1))
    return DataSet(np.vstack(rows).astype(np.float64), codes[chosen])


def _frames(samples: FloatArray) -> FloatArray:
    windows: FloatArray = np.lib.stride_tricks.sliding_window_view(samples, _FRAME)[::_HOP]
    return windows


def _derivative(values: FloatArray) -> FloatArray:
    """The slope of a regression over the frames around each."""
    padded = np.pad(values, ((_REACH, _REACH), (0, 0)), mode="edge")
    n = len(values)
    steps = range(1, _REACH + 1)
    slopes = sum(
        k * (padded[_REACH + k : _REACH + k + n] - padded[_REACH - k : _REACH - k + n])
        for k in steps
    )
    derivative: FloatArray = np.asarray(slopes) / (2.0 * sum(k * k for k in steps))
    return derivative
