"""A shared view survives JSON and an address, and nothing else is taken for one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from melm_core.methods import METHODS
from melm_core.methods.method import BATCH_WEIGHT, GAMMA, Choice
from melm_core.recipe import Fill, MissingValues, Recipe, Scaling, Step, StepKind
from melm_studio.layout.header import MODES as MODES_OF_THE_PAGE
from melm_studio.planes.plane_edits import LoadingEdit
from melm_studio.planes.view_options import DEFAULT_VIEW, ViewOptions
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import checked_parameters
from melm_studio.tables.row_edits import RowFilter
from melm_studio.tables.samples import SAMPLES
from melm_studio.validation import InputError
from melm_studio.workspace.view_query import MAX_QUERY, from_query, to_query
from melm_studio.workspace.view_spec import (
    MODES,
    MORE_LAYERS,
    SWITCHES,
    RowFile,
    RowMarks,
    SharedMorph,
    ViewSpec,
)

WINE = DataSource(kind="sample", key="wine", label="cultivar")
HASH = "0123456789abcdef" * 4

moderate = st.floats(-1e5, 1e5)
names = st.text(min_size=1, max_size=12)
hashes = st.text("0123456789abcdef", min_size=64, max_size=64)


def values_of(setting) -> st.SearchStrategy:
    """Return what a setting allows."""
    if isinstance(setting, Choice):
        return st.sampled_from(sorted(setting.options))
    if setting.is_integer:
        return st.integers(int(setting.minimum), int(setting.maximum))
    return st.floats(setting.minimum, setting.maximum)


@st.composite
def runs(draw) -> tuple[str, dict]:
    method = draw(st.sampled_from(sorted(METHODS)))
    own = {setting.name: draw(values_of(setting)) for setting in METHODS[method].parameters}
    own["held_out"] = draw(st.integers(0, 50)) / 100
    own["n_components"] = draw(st.integers(1, 3))
    if METHODS[method].accepts_init and draw(st.booleans()):
        row = st.lists(moderate, min_size=3, max_size=3)
        own["init"] = [
            draw(st.lists(row, min_size=own["n_components"], max_size=own["n_components"]))
        ]
    return method, checked_parameters(method, own).values


recipes = st.builds(
    Recipe,
    missing=st.builds(MissingValues, fill=st.sampled_from(Fill), indicator=st.booleans()),
    steps=st.lists(st.builds(Step, st.sampled_from(StepKind)), max_size=2).map(tuple),
    scaling=st.sampled_from(Scaling),
)
filters = st.builds(
    RowFilter,
    column=names,
    values=st.lists(st.text(max_size=4), min_size=1, max_size=2).map(tuple),
    is_kept=st.booleans(),
) | st.builds(RowFilter, column=names, low=st.none() | st.just(-1.0), high=st.floats(0, 1e9))


@st.composite
def sources(draw) -> DataSource:
    kind = draw(st.sampled_from(["sample", "upload"]))
    return DataSource(
        kind=kind,
        key=draw(st.sampled_from(sorted(SAMPLES)) if kind == "sample" else hashes),
        name=draw(names) if kind == "upload" else "",
        label=draw(st.none() | names),
        standardize=draw(st.booleans()),
        roles=draw(st.dictionaries(names, st.sampled_from(["feature", "ignored"]), max_size=3)),
        recipe=draw(recipes),
        filters=tuple(draw(st.lists(filters, max_size=2))),
    )


@st.composite
def morphs(draw) -> SharedMorph:
    method, parameters = draw(runs())
    return SharedMorph(method=method, parameters=parameters, share=draw(st.floats(0, 1)))


@st.composite
def options(draw) -> ViewOptions:
    edit = st.builds(LoadingEdit, st.integers(0, 99), st.tuples(moderate, moderate))
    return ViewOptions(
        gamma=draw(st.none() | st.floats(GAMMA.minimum, GAMMA.maximum)),
        n_top_features=draw(st.none() | st.integers(1, 99)),
        edits=tuple(draw(st.lists(edit, max_size=3))),
        view_angle=draw(st.tuples(moderate, moderate)),
        batch_weight=draw(st.none() | st.floats(BATCH_WEIGHT.minimum, BATCH_WEIGHT.maximum)),
    )


row_marks = st.builds(
    RowMarks,
    color_by=st.none() | names,
    shape_by=st.none() | names,
    new_rows=st.none() | st.builds(RowFile, key=hashes, name=names),
)


@st.composite
def specs(draw) -> ViewSpec:
    method, parameters = draw(runs())
    hidden = draw(st.sets(st.sampled_from(SWITCHES)))
    layers = draw(st.sets(st.sampled_from(MORE_LAYERS)))
    return ViewSpec(
        source=draw(sources()),
        method=method,
        parameters=parameters,
        data_id=draw(st.just("") | hashes),
        plane=draw(st.none() | st.integers(0, 9999)),
        options=draw(options()),
        morph=draw(st.none() | morphs()),
        mode=draw(st.sampled_from(MODES)),
        hidden=tuple(switch for switch in SWITCHES if switch in hidden),
        layers=tuple(layer for layer in MORE_LAYERS if layer in layers),
        marks=draw(row_marks),
        divergence=draw(st.none() | moderate),
    )


@pytest.mark.slow
@given(specs())
def test_a_view_survives_json(spec):
    assert ViewSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


@pytest.mark.slow
@given(specs())
def test_a_view_survives_an_address(spec):
    try:
        query = to_query(spec)
    except InputError:  # too long for one, see below
        reject()
    assert len(query) <= MAX_QUERY
    assert query.isascii()
    assert from_query(f"?{query}") == spec


@given(st.text() | specs().map(lambda spec: json.dumps(spec.to_json())[1:60]))
def test_no_text_does_more_than_be_refused(text):
    with pytest.raises(InputError):
        from_query(text)


@pytest.mark.parametrize("name", ["recipe", "filters", "mark:0", "marks"])
def test_values_that_are_nested_without_end_are_refused(name):
    with pytest.raises(InputError):
        from_query(f"data=sample:wine&method=pca&{name}={'[' * 5_000}")


def test_a_query_can_be_read():
    spec = ViewSpec(
        source=WINE, method="melm", parameters={"gamma": 0.5}, plane=7, hidden=("arrows",)
    )
    assert to_query(spec) == (
        "data=sample:wine&label=cultivar&standardize=yes&method=melm&n_components=2&gamma=0.5"
        "&n_init=14&random_state=0&held_out=0.25&multiclass=softmin&plane=7&mode=explore"
        "&hidden=arrows"
    )


def test_a_view_of_a_run_that_chooses_gamma_survives_an_address():
    spec = ViewSpec(source=WINE, method="melm", parameters={"gamma": "auto"})
    assert "&gamma=auto&" in to_query(spec)
    assert from_query(to_query(spec)) == spec


def test_a_method_without_gamma_cannot_choose_it():
    with pytest.raises(InputError, match=r"Kernel width γ must be a number from .* it is 'auto'"):
        from_query("data=sample:wine&method=pca&gamma=auto")


def test_a_query_by_hand_needs_the_data_and_the_method_only():
    spec = from_query("data=sample:wine&method=pca&mode=present")
    assert spec.parameters == checked_parameters("pca", {}).values
    assert spec.source == DataSource(kind="sample", key="wine")
    assert (spec.mode, spec.plane, spec.options) == ("present", None, DEFAULT_VIEW)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"data": "sample:gold"}, "The sample must be one of iris, "),
        ({"data": "wine"}, "The kind of data must be one of sample, table, upload; it is 'wine'."),
        ({"data": "upload:../etc"}, "The hash of the file must be a SHA-256 of 64"),
        ({"data": f"upload:{HASH}"}, "The file name is missing."),
        ({"method": "magic"}, "The method must be one of melm, "),
        ({"gamma": "99"}, "Kernel width γ must be a number from 0.1 to 10; it is 99.0."),
        ({"gamma": "nan"}, "Kernel width γ must be a number from 0.1 to 10; it is nan."),
        ({"gamma": "wide"}, "Kernel width γ must be a number from 0.1 to 10; it is 'wide'."),
        ({"n_components": "4"}, "Components must be a whole number from 1 to 3; it is 4.0."),
        ({"n_init": "2.5"}, "Starts must be a whole number from 1 to 500; it is 2.5."),
        ({"held_out": "0.9"}, "Held out (%) must be a number from 0 to 50; it is 90.0."),
        ({"multiclass": "all"}, "Multi-class objective must be one of "),
        ({"init": "1:2,3:4"}, "A run of PCA has no 'init'. "),
        ({"colour": "red"}, "A run of PCA has no 'colour'. "),
        ({"plane": "-1"}, "The plane number must be a whole number from 0 to 1,000,000,000; it is"),
        ({"shown_gamma": "0"}, "Kernel width γ must be a number from 0.1 to 10; it is '0'."),
        ({"n_top_features": "0"}, "The number of features must be a whole number from 1 to"),
        (
            {"edits": "3:1:inf"},
            "The place of an arrow must be a number from -1,000,000 to",
        ),
        ({"edits": "x:1:2"}, "The feature number of an arrow must be a whole number from 0"),
        ({"view_angle": "1"}, "The view angle must be a list of 2 values"),
        ({"morph": "0.5"}, "The method is missing. It must be one of melm, "),
        (
            {"morph": "2", "morph.method": "lda"},
            "The morph position must be a number from 0 to 1;",
        ),
        ({"mode": "sing"}, "The mode must be one of compare, explore, present; it is 'sing'."),
        (
            {"layers": "points"},
            "A layer must be one of centroids, class_ellipses, mean_ellipses; it is",
        ),
        (
            {"hidden": "points"},
            "A hidden switch must be one of aligned, arrows, contours, linked, names",
        ),
        ({"standardize": "no!"}, "The standardize option must be true or false; it is 'no!'."),
        (
            {"role:x": "y"},
            "The use of a column must be one of feature, category, ordered, name, info, group, "
            "batch, order, ignored; it is {'x': 'y'}.",
        ),
        ({"sha256": "abc"}, "The hash of the data must be a SHA-256 of 64"),
        ({"divergence": "much"}, "The divergence must be a number from"),
    ],
)
def test_whatever_is_odd_about_a_query_is_named(change, sentence):
    own = {"multiclass": "melm"}.keys() & change.keys()
    fields = {"data": "sample:wine", "method": "melm" if own else "pca", **change}
    query = "&".join(f"{name}={value}" for name, value in fields.items())
    with pytest.raises(InputError) as refused:
        from_query(query)
    assert str(refused.value).startswith(sentence)


def test_what_is_said_twice_is_refused():
    with pytest.raises(InputError, match="The query has 'gamma' more than once"):
        from_query("data=sample:wine&method=pca&gamma=1&gamma=2")


@pytest.mark.parametrize("huge", [10**400, -(10**400)])
def test_a_number_beyond_all_measure_is_refused(huge):
    view = ViewSpec(source=WINE, method="pca").to_json()
    for change in (
        {"plane": huge},
        {"divergence": huge},
        {"parameters": {"gamma": huge}},
        {"parameters": {"held_out": huge}},
        {"options": {"n_top_features": huge}},
    ):
        with pytest.raises(InputError):
            ViewSpec.from_json(view | change)


def test_a_shared_view_names_no_run():
    view = ViewSpec(source=WINE, method="pca").to_json()
    with pytest.raises(InputError, match="cannot refer to a run"):
        ViewSpec.from_json(view | {"options": {"toward": "some-run"}})


@pytest.mark.parametrize(
    "init", [None, [], [[[1, 2]]], [[[1, 2], [3]]], [[[1, 2], [3, "x"]]], [[[1, 2], [3, 4]]] * 2]
)
def test_a_run_begins_from_one_whole_plane_or_from_none(init):
    with pytest.raises(InputError):
        checked_parameters("melm", {"init": init})


def test_a_large_plane_is_for_the_story_and_not_for_a_link():
    plane = [[[0.1234567890123] * 200, [0.9876543210987] * 200]]
    spec = ViewSpec(source=WINE, method="melm", parameters={"init": plane})
    with pytest.raises(InputError, match="Add it to the story"):
        to_query(spec)
    assert ViewSpec.from_json(spec.to_json()) == spec


@pytest.mark.slow
def test_the_modes_are_those_of_the_page():
    assert list(MODES) == list(MODES_OF_THE_PAGE)
