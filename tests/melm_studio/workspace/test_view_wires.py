"""Links and stories in the text that users save: each part of a view is in it and comes back."""

from __future__ import annotations

import json

import msgspec
import pytest

from melm_studio.planes.plane_edits import LoadingEdit
from melm_studio.planes.view_options import DEFAULT_VIEW, ViewOptions
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import checked_parameters
from melm_studio.validation import read
from melm_studio.workspace.story import Story
from melm_studio.workspace.view_query import from_query, to_query

FILE = "0123456789abcdef" * 4

LINK = (
    f"data=upload:{FILE}&name=pots+%26+pans.csv&label=kiln+site&standardize=no&role:batch=ignored"
    "&role:Mg,+%25=feature&method=melm&n_components=2&gamma=0.5&n_init=1&random_state=0"
    "&held_out=0.1&init=0.6:0.8:0.0,0.0:0.0:1.0&multiclass=softmin&plane=12&shown_gamma=2.5&n_top_features=4"
    "&edits=2:0.5:0.25,0:-1.0:0.125&view_angle=0.3:-0.2&morph=0.5&morph.method=pca"
    "&morph.n_components=2&morph.gamma=1.0&morph.n_init=14&morph.random_state=7"
    f"&morph.held_out=0.25&mode=compare&hidden=linked,arrows&sha256={FILE[::-1]}"
    "&divergence=0.8125"
)
SMALL_LINK = (
    "data=sample:wine&label=cultivar&standardize=yes&method=lda&n_components=2&gamma=1.0&n_init=14"
    "&random_state=0&held_out=0.25&mode=present"
)
STORY = """{
 "format": "melm-studio story 1",
 "views": [
  {
   "title": "MELM refined, γ 0.5, pots",
   "caption": "Here they part.",
   "view": {
    "source": {
     "kind": "upload", "key": "FILE", "name": "pots & pans.csv", "label": "kiln site",
     "standardize": false, "roles": {"batch": "ignored", "Mg, %": "feature"}
    },
    "data_id": "DATA",
    "method": "melm",
    "parameters": {
     "n_components": 2, "gamma": 0.5, "n_init": 1, "random_state": 0, "multiclass": "softmin",
     "held_out": 0.1, "init": [[[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]]
    },
    "plane": 12,
    "options": {
     "gamma": 2.5, "n_top_features": 4, "edits": [[2, [0.5, 0.25]], [0, [-1.0, 0.125]]],
     "view_angle": [0.3, -0.2]
    },
    "morph": {
     "method": "pca",
     "parameters": {
      "n_components": 2, "gamma": 1.0, "n_init": 14, "random_state": 7, "held_out": 0.25
     },
     "share": 0.5
    },
    "mode": "compare",
    "hidden": ["linked", "arrows"],
    "divergence": 0.8125
   }
  },
  {
   "title": "LDA, wine",
   "caption": "",
   "view": {
    "source": {"kind": "sample", "key": "wine", "label": "cultivar", "standardize": true},
    "data_id": "",
    "method": "lda",
    "parameters": {
     "n_components": 2, "gamma": 1.0, "n_init": 14, "random_state": 0, "held_out": 0.25
    },
    "plane": null,
    "options": {"gamma": null, "n_top_features": null, "edits": [], "view_angle": [0.0, 0.0]},
    "morph": null,
    "mode": "present",
    "hidden": [],
    "divergence": null
   }
  }
 ]
}""".replace("FILE", FILE).replace("DATA", FILE[::-1])


@pytest.fixture(params=["link", "story"])
def saved(request):
    """The same view from a link and from a story."""
    views = {"link": lambda: from_query(LINK), "story": lambda: read_story().views[0].spec}
    return views[request.param]()


def read_story() -> Story:
    return Story.from_bytes(STORY.encode())


def test_a_saved_view_has_its_data(saved):
    source = saved.source
    assert (source.kind, source.key, source.name) == ("upload", FILE, "pots & pans.csv")
    assert (source.label, source.standardize) == ("kiln site", False)
    assert source.roles == {"batch": "ignored", "Mg, %": "feature"}
    assert saved.data_id == FILE[::-1]


def test_a_saved_view_has_its_run(saved):
    expected = {"gamma": 0.5, "n_init": 1, "held_out": 0.1, "init": [[[0.6, 0.8, 0], [0, 0, 1]]]}
    assert saved.method == "melm"
    assert saved.parameters == checked_parameters("melm", expected).values
    assert (saved.plane, saved.divergence) == (12, 0.8125)


def test_a_saved_view_has_its_options(saved):
    assert saved.options == ViewOptions(
        gamma=2.5,
        n_top_features=4,
        edits=(LoadingEdit(2, (0.5, 0.25)), LoadingEdit(0, (-1.0, 0.125))),
        view_angle=(0.3, -0.2),
    )
    assert (saved.mode, saved.hidden) == ("compare", ("linked", "arrows"))


def test_a_saved_view_has_its_morph(saved):
    assert (saved.morph.method, saved.morph.share) == ("pca", 0.5)
    assert (
        saved.morph.parameters
        == checked_parameters("pca", {"gamma": 1.0, "n_init": 14, "random_state": 7}).values
    )


def test_a_saved_story_has_its_titles_and_captions():
    views = read_story().views
    assert [view.title for view in views] == ["MELM refined, γ 0.5, pots", "LDA, wine"]
    assert [view.caption for view in views] == ["Here they part.", ""]
    assert views[1].spec == from_query(SMALL_LINK)
    assert views[1].spec.options == DEFAULT_VIEW


@pytest.mark.parametrize("link", [LINK, SMALL_LINK])
def test_a_link_is_written_as_it_was_read(link):
    assert to_query(from_query(link)) == link


def test_a_story_that_is_saved_again_is_the_same_story():
    again = Story.from_bytes(json.dumps(read_story().to_json()).encode())
    assert again == read_story()


def test_answers_to_questions_travel_in_a_link_and_in_a_story():
    answers = {"neighbors": "runs:15", "subjects:pots, & pans": "together"}
    view = from_query(LINK)
    asked = msgspec.structs.replace(
        view, source=msgspec.structs.replace(view.source, answers=answers)
    )
    assert from_query(to_query(asked)).source.answers == answers
    assert read(msgspec.to_builtins(asked.source), DataSource, "The data").answers == answers
