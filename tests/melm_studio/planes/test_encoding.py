"""Numbers on their way to the page."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.driver.traces import arrays_in, decoded
from melm_core.diagnostics import ConfidenceEllipses
from melm_studio.installation import APPLICATION_FOLDER
from melm_studio.planes.encoding import (
    EllipseCoordinate,
    as_bytes,
    compact,
    stepped,
    whole,
)


@pytest.mark.parametrize(
    "values",
    [np.arange(12.0).reshape(6, 2)[:, 1], np.arange(6, dtype=">f8"), np.arange(6)],
    ids=["strided", "big-endian", "whole"],
)
def test_memory_layout_and_type_make_no_difference(values):
    encoded = compact(values)
    np.testing.assert_allclose(decoded(encoded), values, rtol=0, atol=0.501 * encoded["step"])


@given(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=1))
def test_compact_numbers_come_back_to_half_a_step(values):
    encoded = compact(values)
    np.testing.assert_allclose(
        decoded(encoded), values, rtol=0, atol=0.501 * encoded["step"], equal_nan=True
    )


def test_of_no_numbers_an_empty_list_is_sent():
    assert compact([]) == []


def test_an_ellipse_is_sent_as_three_numbers_and_read_as_its_outline():
    ellipses = ConfidenceEllipses.of(np.random.default_rng(0).normal(size=(20, 2)))
    assert ellipses is not None
    for axis in (0, 1):
        coordinate, outline = EllipseCoordinate(ellipses, "rows", axis), ellipses.outline("rows")
        np.testing.assert_array_equal(np.asarray(coordinate), outline[:, axis])
        sent = compact(coordinate)
        assert len(sent) == 4
        np.testing.assert_allclose(decoded(sent), outline[:, axis], atol=2e-5)


def test_a_step_of_the_compact_form_is_far_below_a_pixel():
    values = np.random.default_rng(0).normal(size=1_000)
    assert compact(values)["step"] < np.ptp(values) / 65_000


def test_three_bytes_are_far_finer_than_two():
    values = np.random.default_rng(0).normal(size=1_000)
    assert 250 * stepped(values, 3).header["step"] < stepped(values, 2).header["step"]


@pytest.mark.parametrize("n_bytes", [2, 3])
@pytest.mark.parametrize("spread", [0.0, 1e-300, 1e-3, 1.0, 1e12])
def test_values_in_steps_come_back_to_half_a_step(spread, n_bytes):
    values = spread * np.random.default_rng(0).normal(size=500) + 3.0
    sent = stepped(values, n_bytes)
    error = np.abs(arrays_in(as_bytes(x=sent))["x"] - values)
    assert (error <= 0.501 * np.ptp(values) / (256**n_bytes - 2) + 1e-15 + 1e-12 * spread).all()


@pytest.mark.parametrize(("largest", "n_bytes"), [(0, 1), (255, 1), (256, 2), (65_534, 2)])
def test_whole_numbers_come_back_and_take_no_more_bytes_than_they_need(largest, n_bytes):
    values = np.array([0, largest, 0, largest // 2])
    sent = whole(values)
    assert len(sent.values) == n_bytes * len(values)
    np.testing.assert_array_equal(arrays_in(as_bytes(x=sent))["x"], values)


def test_what_python_writes_the_page_reads():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(size=300), [np.nan, 7.0, np.nan], rng.normal(size=20)])
    numbers = np.array([2, 3, 70_000, 20_000_001])  # more than single precision tells apart
    bodies = [
        as_bytes(x=stepped(values, 2), y=stepped(values, 3)),
        as_bytes(numbers=stepped(numbers, 4, step=1.0), classes=whole([0, 300, 1, 2])),
        as_bytes(is_held_out=whole([True, False]), empty=whole([])),
    ]
    ellipses = ConfidenceEllipses.of(rng.normal(size=(20, 2)))
    assert ellipses is not None
    arrays = [
        compact(values),
        compact([]),
        compact(np.full(3, np.nan)),
        compact(EllipseCoordinate(ellipses, "rows", 0)),
        whole([3, 1, 2]).as_json(),
    ]
    read = _read_by_the_page(arrays, bodies)
    for found, sent in zip(read["arrays"], arrays, strict=True):
        np.testing.assert_allclose(_known(found), decoded(sent), rtol=2**-23, atol=1e-7)
    for found, body in zip(read["bodies"], bodies, strict=True):
        expected = arrays_in(body)
        assert found.keys() == expected.keys()
        for name, array in found.items():
            np.testing.assert_allclose(_known(array), expected[name], rtol=2**-23, atol=1e-7)
    assert read["bodies"][1]["numbers"] == numbers.tolist()


_READER = """
import {{ readFileSync }} from "node:fs";
import {{ arraysIn, numbers }} from "{arrays}";
const {{ arrays, bodies }} = JSON.parse(readFileSync(0, "utf8"));
const bufferOf = (body) => Uint8Array.from(Buffer.from(body, "base64")).buffer;
const plain = (array) => [...array];
const named = (found) =>
  Object.fromEntries(Object.entries(found).map(([name, one]) => [name, plain(one)]));
const read = {{
  arrays: arrays.map((array) => plain(numbers(array))),
  bodies: bodies.map((body) => named(arraysIn(bufferOf(body)))),
}};
console.log(JSON.stringify(read));
"""


def _read_by_the_page(arrays, bodies):
    node = Path(sys.executable).with_name("node")
    script = _READER.format(arrays=(APPLICATION_FOLDER / "assets/studio/plane/arrays.mjs").as_uri())
    sent = json.dumps({"arrays": arrays, "bodies": [base64.b64encode(b).decode() for b in bodies]})
    done = subprocess.run(
        [node, "--input-type=module", "--eval", script],
        input=sent,
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(done.stdout)


def _known(values):
    """JSON has null for nan."""
    return np.array(values, dtype=float)
