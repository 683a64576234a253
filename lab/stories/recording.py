"""Makes a story in a workspace, as a visitor would, and saves it as a project."""

from __future__ import annotations

import io

from lab.stories.contents import Contents, Fit, Scene
from lab.stories.facts import facts_of, worded
from melm_studio.analyses.probabilities import PROBABILITIES
from melm_studio.planes.renderer import PlaneRenderer
from melm_studio.planes.view_options import Shown, ViewOptions
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.parameters import checked_parameters
from melm_studio.runs.records.run import RunRecord
from melm_studio.workers.execute import execute_queued
from melm_studio.workspace.data_source import ShownData
from melm_studio.workspace.project import save_project
from melm_studio.workspace.story import Story, StoryView
from melm_studio.workspace.view_spec import spec_of
from melm_studio.workspace.workspace import Workspace


def recorded(own: Workspace, contents: Contents) -> bytes:
    """Return the project of a story: its runs, and its views with their texts.

    Parameters
    ----------
    own : Workspace
        Of a visitor without runs.
    contents : Contents
    """
    tables = [_table(own, contents, fit) for fit in contents.fits]
    runs = [_finished(own, *each) for each in zip(tables, contents.fits, strict=True)]
    renderer = PlaneRenderer(own.store)
    views = (_view(own, renderer, runs[scene.fit], scene) for scene in contents.scenes)
    file = io.BytesIO()
    save_project(own, tables[0].source, Story(tuple(views)), file)
    return file.getvalue()


def _table(own: Workspace, contents: Contents, fit: Fit) -> ShownData:
    if fit.drawing is None:
        source = DataSource(
            kind="sample", key=contents.sample, roles={**contents.roles}, marks=contents.marks
        )
    else:
        key = own.put_upload(fit.drawing.csv().encode())
        source = DataSource(kind="upload", key=key, name=fit.drawing.file_name)
    data = own.prepare(own.table(source), source)
    return ShownData(data.content_hash, data.name, data.label, source)


def _finished(own: Workspace, shown: ShownData, fit: Fit) -> RunRecord:
    parameters = checked_parameters(fit.method, fit.parameters)
    run = own.new_fit(shown, fit.method, parameters, own.data(shown))
    own.queue(run)
    if fit.is_checked:
        own.check(run)
    if fit.is_searched:
        own.analyze(run, PROBABILITIES)
    execute_queued(own.store)
    return next(one for one in own.fits() if one.run_id == run.run_id)


def _view(own: Workspace, renderer: PlaneRenderer, run: RunRecord, scene: Scene) -> StoryView:
    events = own.store.events(run.run_id)
    event = {
        "newest": events[-1],
        "first": events[0],
        "poorest": min(events, key=lambda event: event.objective),
    }[scene.plane]
    options = ViewOptions(
        gamma=scene.gamma, n_top_features=scene.n_top_features, places=scene.places
    )
    spec = spec_of(
        Shown.of(run, event, options),
        other=None,
        mode="explore",
        hidden=scene.hidden,
        marks={} if scene.color_by is None else {"color_by": scene.color_by},
        divergence=renderer.divergence(Shown.of(run, event, options)),
    )
    view = StoryView(spec, scene.title, scene.caption, scene.notes)
    return worded(view, facts_of(own, renderer, spec))
