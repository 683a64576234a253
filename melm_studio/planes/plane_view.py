"""The view of a plane, computed from the plane and the data.

A run stores only planes. Points, contours, arrows, and scores are computed from a plane and the
data, by the class densities there; divergences by the densities that the search compares (see
`melm_studio.planes.projected_classes`).

Planes are drawn in standard deviations: coordinates within the plane are transformed so that the
training rows have unit covariance. Neither the divergence nor the contours of a density depend on
that choice, and planes whose variances differ a hundredfold, as those of PCA and MELM may, can be
compared on the same axes. Coordinates of a nonlinear method, whose distances are what it is about,
keep their shape, and so does a map that came with the table: a similarity at most, to a mean
variance of 1.

One component is drawn as the densities on its line. Three components are projected along a view
angle: a kernel density projects to the density of the projected kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np

from melm_core.base import (
    ColumnEncoding,
    FloatArray,
    IntArray,
    UserError,
    balanced_share,
    stratified_sample,
)
from melm_core.density import (
    ClassDensities,
    DensityRule,
    RegionShare,
    inverse_root,
    kernel_classes,
    line_region_shares,
    region_shares,
)
from melm_core.diagnostics import ComponentGain, Importance
from melm_core.linalg import joint_variance_shares, orthogonal_procrustes
from melm_core.melm import DivergenceTerms, held_out_divergence, nearest_pair_terms
from melm_studio.planes.class_outlines import (
    CONTOUR_SHARES,
    arrow_lanes,
    box_of_regions,
    central_box,
    density_curves,
    in_strips,
    paths_in_lanes,
    plane_contours,
    plane_regions,
    threshold_lines,
)
from melm_studio.planes.drawn_rows import EvenRows, SampledRows
from melm_studio.planes.features import PATH_SHARES, FeatureSteps
from melm_studio.planes.plane_edits import strongest_loadings
from melm_studio.planes.plane_scores import BatchCells, Predictions, Scores
from melm_studio.planes.projected_classes import (
    ProjectedClasses,
    TableDensities,
    bounded_divergence,
    check_duration,
    ellipses_of_rows,
)
from melm_studio.planes.types import Arrows, ClassView, Places, PlaneView, ProjectedRows
from melm_studio.planes.unseen import UnseenRows, held_by_both, with_unseen_rows
from melm_studio.tables import LabeledData, PixelGrid, fitting_grid, is_map, map_columns, pixel_grid

# More points than this can be neither distinguished nor moved smoothly; the densities still sum
# over all rows.
MAX_DRAWN_ROWS = 2_000

# On a line, of the side that an arrow points to; its name has the rest.
_ROOM_OF_ARROWS = 0.7
# The view angle at which three components appear as the first two of them.
FROM_THE_FRONT = (0.0, 0.0)


class PlaneViewer:
    """Computes views of the planes of one data set.

    Parameters
    ----------
    train, held_out : LabeledData
        Training rows, and held-out rows (possibly none).
    gamma : float
        Kernel width relative to Silverman's rule: of the divergence, and of the class densities,
        unless `at` gives these a width of their own.
    """

    def __init__(
        self, train: LabeledData, held_out: LabeledData, gamma: float, n_components: int = 2
    ) -> None:
        train, held_out = train.by_class(), held_out.by_class()
        self.class_names = train.class_names
        self.n_unlabeled = 0 if train.unlabeled is None else len(train.unlabeled.X)
        self.n_components = n_components
        self.parts = (train, held_out)
        self.feature_names = train.own_feature_names
        self.steps = FeatureSteps(train.X, train.curve_groups)
        self.gamma = self.density_gamma = gamma
        self._covariance = TrainingCovariance(train.X)
        self._map_axes = self._axes_of_map(train)
        classes = kernel_classes(train.X, train.y, n_components=n_components, gamma=gamma)
        if classes.basis is None:  # the rows themselves, which are sorted by class
            ends = np.cumsum(classes.counts)[:-1]
            classes = replace(classes, rows=tuple(np.split(train.X, ends)))
        self._own_gamma = gamma  # of the kernels that are kept
        self._table: TableDensities | None = None
        self._n_classes = len(classes.rows)
        self._batches = BatchCells.of(train, held_out, gamma=gamma, n_components=n_components)
        self.n_train, self.n_rows = len(train.y), len(train.y) + len(held_out.y)
        drawn = min(1.0, MAX_DRAWN_ROWS / self.n_rows)
        self._train = SampledRows.of(train, self._n_classes, drawn)
        self._held_out = SampledRows.of(held_out, self._n_classes, drawn)
        self._even_rows = EvenRows.of((train, held_out), MAX_DRAWN_ROWS)
        self._classes = ProjectedClasses(classes, gamma, self._scored)
        self.n_drawn = len(self._train.drawn_y) + len(self._held_out.drawn_y)

    @property
    def is_map(self) -> bool:
        """True if the plane is the map that came with the table, whatever method was run."""
        return self._map_axes is not None

    def _axes_of_map(self, train: LabeledData) -> FloatArray | None:
        """The axes of a map in the prepared features, of one scale; None of any other data."""
        map_axes = map_columns(train.feature_names) if is_map(train.feature_names) else None
        if map_axes is None or self.n_components != len(map_axes.columns):
            return None
        axes = np.diag(train.scale)[map_axes.columns]
        covariance = self._covariance.along(axes)
        return of_one_scale(axes, covariance) if np.trace(covariance) > 0.0 else None

    @property
    def drawn_rows(self) -> tuple[list[IntArray], list[IntArray]]:
        """Row numbers in the file of the drawn points by class, of training and held-out rows."""
        return (
            self._train.drawn_rows(self._n_classes),
            self._held_out.drawn_rows(self._n_classes),
        )

    def pixel_grid(self, said: str) -> PixelGrid | None:
        """The image that the features are, as `fitting_grid` finds it; recognized once."""
        return fitting_grid(self.parts[0], said) if said else self._recognized_grid

    @cached_property
    def _recognized_grid(self) -> PixelGrid | None:
        return pixel_grid(self.parts[0])

    def view(
        self,
        components: FloatArray,
        toward: FloatArray | None = None,
        view_angle: tuple[float, float] = FROM_THE_FRONT,
        *,
        scores: Scores | None = None,
        changed_from: FloatArray | None = None,
        unseen: UnseenRows | None = None,
        places: Places = Places.UNSEEN,
    ) -> PlaneView:
        """Compute the view of a plane.

        Parameters
        ----------
        components : ndarray of shape (n_components, n_features)
            Any rows of full rank.
        toward : ndarray of shape (n_rows, n_components), optional
            `coordinates` in another plane, to which the view is rotated and reflected as closely
            as possible.
        view_angle : tuple of float
            Azimuth and elevation in radians, for three components.
        scores : Scores, optional
            `scores` of the plane, where they are known.
        changed_from : ndarray of shape (n_components, n_features), optional
            The plane that this one was made from: its view and this one are not mirror images.
        unseen : UnseenRows, optional
            Where planes that never saw the rows put them, where that is known.
        places : Places
            Of these, which are drawn.
        """
        components = self.oriented(components, toward, changed_from)
        rule = self._class_rule(components)
        scores = scores or self._scores(rule, components)
        view = self._drawn_view(components, rule, scores, view_angle)
        view = replace(view, explained=self.explained_shares(components, view_angle))
        if unseen is None:
            return view
        at_unseen = self._at_unseen_places(view, components, unseen, view_angle)
        return at_unseen if places is Places.UNSEEN else held_by_both(view, at_unseen)

    def _at_unseen_places(
        self,
        view: PlaneView,
        components: FloatArray,
        unseen: UnseenRows,
        view_angle: tuple[float, float],
    ) -> PlaneView:
        axes = components
        if self.n_components > 2:
            axes = screen_axes(view_angle) @ components
        return with_unseen_rows(
            view,
            unseen,
            axes,
            drawn=self.drawn_rows[0],
            train=self.parts[0],
            gamma=self.density_gamma,
        )

    def _drawn_view(
        self,
        components: FloatArray,
        rule: DensityRule,
        scores: Scores,
        view_angle: tuple[float, float],
    ) -> PlaneView:
        if self.n_components == 1:
            return self._line(components, rule, scores)
        if self.n_components == 2 and view_angle == FROM_THE_FRONT:
            return self._plane(components, rule.classes, scores)
        axes = screen_axes(view_angle)[:, : self.n_components]
        turned = axes @ components
        is_plane = self.n_components == 2 and self._table is not None  # that has all rows
        seen = self._class_rule(turned).classes if is_plane else rule.classes.project(axes)
        return self._plane(turned, seen, scores)

    def oriented(
        self,
        components: FloatArray,
        toward: FloatArray | None,
        changed_from: FloatArray | None = None,
    ) -> FloatArray:
        """Components as a view draws them: standardized, and aligned to `coordinates` if given.

        A plane that was `changed_from` another one is mirrored where that one is and nowhere else:
        on the way between two planes, the closest picture may be mirrored from some place on.
        """
        components = self.standardized(components)
        if toward is None or self.is_map:
            return components
        determinant = None
        if changed_from is not None:
            rotation = orthogonal_procrustes(self.coordinates(changed_from), toward)
            determinant = float(np.linalg.det(rotation))
        turn = orthogonal_procrustes(self._coordinates(components), toward, determinant)
        aligned: FloatArray = turn.T @ components
        return aligned

    def aligned(self, components: FloatArray, reference: FloatArray) -> FloatArray:
        """Components of the same plane whose picture lies like that of a reference plane."""
        turn = orthogonal_procrustes(self.coordinates(components), self.coordinates(reference))
        aligned: FloatArray = turn.T @ components
        return aligned

    def _plane(self, components: FloatArray, classes: ClassDensities, scores: Scores) -> PlaneView:
        """Points, contours of the class densities and arrows in two dimensions."""
        contours = plane_contours(classes)
        train, held_out = self._drawn(components)
        lower, upper = box_of_regions([*train, *held_out], [lines for lines, _ in contours])
        lengths = self.steps.lengths(components)
        loadings, features = strongest_loadings(self.steps.arrows(components), lengths)
        if self.is_map:  # whose axes say as much
            loadings, features = loadings[:0], features[:0]
        paths = self.steps.paths(components, features)
        scale = _arrow_scale(loadings, (upper - lower).min())
        origins = np.tile(components @ self._covariance.mean, (len(loadings), 1))
        arrows = self._arrows(origins, loadings * scale, features, scale)
        if paths is not None:
            drawn = origins[:, None] + paths
            arrows = self._bent(arrows, paths, drawn)
        lower, upper = _bounds([lower[None], upper[None], arrows.tips, *_vertices(arrows)])
        table = self._table
        if table is None:
            moments = list(map(ellipses_of_rows, classes.rows))
        else:
            moments = table.ellipses(classes, components)
        views = tuple(
            ClassView(train, held_out, *lines, *of_class)
            for train, held_out, lines, of_class in zip(
                train, held_out, contours, moments, strict=True
            )
        )
        every = self.steps.arrows(components).T
        return PlaneView(views, arrows, np.empty((0, 2)), lower, upper, scores, every, lengths)

    def _line(self, components: FloatArray, rule: DensityRule, scores: Scores) -> PlaneView:
        """Class densities on the line, with the rows below them and the arrows below the rows."""
        curves = density_curves(rule)
        train, held_out = (in_strips(rows) for rows in self._drawn(components))
        lower, upper = central_box([*train, *held_out], curves)
        lower[1], upper[1] = (bound[1] for bound in _bounds([*train, *held_out, *curves]))
        lengths = self.steps.lengths(components)
        loadings, features = strongest_loadings(self.steps.arrows(components), lengths)
        origin = float(components[0] @ self._covariance.mean)
        # Names are beyond the tips alone: in a lane there is no room beside them.
        rooms = np.array([upper[0] - origin, origin - lower[0]])
        longest = np.array([loadings.max(initial=0), -loadings.min(initial=0)])
        scale = min(
            _arrow_scale(loadings, upper[0] - lower[0]),
            _largest_scale(_ROOM_OF_ARROWS * rooms, longest),
        )
        origins = np.column_stack(
            [np.full(len(loadings), origin), arrow_lanes(len(loadings), self._n_classes)]
        )
        along = np.column_stack([loadings[:, 0] * scale, np.zeros(len(loadings))])
        arrows = self._arrows(origins, along, features, scale)
        paths = self.steps.paths(components, features)
        if paths is not None:
            drawn = paths_in_lanes(paths, origins, PATH_SHARES)
            arrows = self._bent(arrows, paths, drawn)
        ends = [arrows.origins, arrows.tips, *_vertices(arrows)]
        lower, upper = _bounds([lower[None], upper[None], *ends])
        views = tuple(map(ClassView, train, held_out, curves))
        every = np.pad(self.steps.arrows(components).T, ((0, 0), (0, 1)))
        thresholds = threshold_lines(rule)
        return PlaneView(views, arrows, thresholds, lower, upper, scores, every, lengths)

    def _drawn(self, components: FloatArray) -> tuple[list[FloatArray], list[FloatArray]]:
        """The coordinates of the training and held-out rows of each class: rows times components.

        Of all rows, or of a stratified sample of `MAX_DRAWN_ROWS`.
        """
        return (
            self._train.drawn_by_class(components, self._n_classes),
            self._held_out.drawn_by_class(components, self._n_classes),
        )

    def _bent(self, arrows: Arrows, paths: FloatArray, drawn: FloatArray) -> Arrows:
        """Arrows with the paths of bent features, as they are and as they are drawn."""
        values, turns = self._path_values(arrows.features), self.steps.turning(paths)
        return replace(arrows, paths=drawn, values=values, turns=turns)

    def _path_values(self, features: IntArray) -> FloatArray | None:
        """Values of bent features along their paths, in the unit of the table."""
        values, train = self.steps.path_values(features), self.parts[0]
        if values is None:
            return None
        table: FloatArray = values * train.scale[features, None] + train.center[features, None]
        return table

    def _arrows(
        self, origins: FloatArray, vectors: FloatArray, features: IntArray, scale: float
    ) -> Arrows:
        names = tuple(self.feature_names[feature] for feature in features)
        return Arrows(origins, origins + vectors, features, names, scale)

    def standardized(self, components: FloatArray) -> FloatArray:
        """Components of the same plane in which the training rows have unit covariance.

        A map that came with the table keeps its axes and its shape, and the coordinates of a
        nonlinear method, which are no features, keep their shape.
        """
        if self._map_axes is not None:
            return self._map_axes
        covariance = self._covariance.along(components)
        if self.feature_names:
            return standardized(components, covariance)
        return of_one_scale(components, covariance)

    def shapes(self, components: FloatArray) -> FloatArray | None:
        """The shape of every feature that bends, see `FeatureSteps.shapes`."""
        features = np.arange(self.steps.n_features)
        return self.steps.shapes(self.standardized(components), features)

    def explained_shares(
        self, components: FloatArray, view_angle: tuple[float, float] = FROM_THE_FRONT
    ) -> FloatArray:
        """The share of the variance of the training rows along each axis of a view.

        They add up to that of what is drawn. `components` are oriented already.
        """
        axes = screen_axes(view_angle)[: self.n_components, : self.n_components]
        return self._covariance.explained_shares(axes @ components)

    @property
    def class_counts(self) -> dict[str, int]:
        """Number of training and held-out rows of each class, by its name.

        Of the table of which the rows are a sample, where its densities are known.
        """
        train, held_out = (part.class_counts for part in self.parts)
        if self._table is not None:
            train = dict(zip(train, self._table.found.counts, strict=True))
        return {name: count + held_out[name] for name, count in train.items()}

    @cached_property
    def deviations(self) -> FloatArray:
        """Standard deviation of every feature over all the data, shape (n_features,)."""
        deviations: FloatArray = np.concatenate([data.X for data in self.parts]).std(axis=0)
        return deviations

    def scores(self, components: FloatArray) -> Scores:
        """Score how well the plane separates the rows, without computing its view."""
        components = self.standardized(components)
        return self._scores(self._class_rule(components), components)

    def coordinates(self, components: FloatArray) -> FloatArray:
        """Training and held-out rows as they are drawn, in the order of the file.

        Of many rows an evenly spaced subset, the same for every plane and every split.
        """
        return self._coordinates(self.standardized(components))

    def _coordinates(self, components: FloatArray) -> FloatArray:
        """The same for components that are standardized already."""
        return self._even_rows.project(components)

    def at(self, gamma: float, density_gamma: float | None = None) -> PlaneViewer:
        """The viewer of the same data with other kernel widths, which shares the rows.

        Parameters
        ----------
        gamma : float
            Of the divergence.
        density_gamma : float or None
            Of the class densities; None for the same.
        """
        widths = (gamma, gamma if density_gamma is None else density_gamma)
        if widths == (self.gamma, self.density_gamma):
            return self
        other = copy(self)
        other.gamma, other.density_gamma = widths
        return other

    def of_table(self, table: TableDensities | None) -> PlaneViewer:
        """The viewer of rows that are a sample of a table; None for that of the sample alone."""
        if table is self._table:
            return self
        other = copy(self)
        other._table = table  # noqa: SLF001 - its own copy
        return other

    def n_rows_of_table(self, components: FloatArray) -> int:
        """Number of rows that densities in a plane count, if more than the viewer has."""
        classes = self._class_rule(self.standardized(components)).classes
        return round(classes.totals.sum()) if classes.is_sample else 0

    def _class_rule(self, components: FloatArray) -> DensityRule:
        """The class densities in a plane: of all rows where these are known, else of the viewer's.

        Contours and classes are read from them, with the covariances of the classes in the plane.
        Up to `MANY_ROWS` rows it is `DensityRule.of_moments` of the projected rows of each class;
        of more the same from sums that are kept for a band of widths.
        """
        rule = self._classes.class_rule(components, self.density_gamma / self._own_gamma)
        table = self._table
        return rule if table is None else table.class_rule(rule, components, self.density_gamma)

    def _search_densities(self, components: FloatArray) -> ClassDensities:
        """The densities that a search compares, of the same rows; for divergences alone."""
        densities = self._classes.search_densities(components, self.gamma / self._own_gamma)
        table = self._table
        return (
            densities
            if table is None
            else table.search_densities(densities, components, self.gamma)
        )

    def _search_kernels(self, components: FloatArray) -> FloatArray:
        """The kernel covariances of the search densities, for which no row is summed."""
        table = self._table
        kernels = None if table is None else table.search_kernels(components, self.gamma)
        if kernels is not None:
            return kernels
        return self._classes.search_kernels(components, self.gamma / self._own_gamma)

    def divergences(self, components: FloatArray) -> tuple[float, float | None]:
        """Divergence of the training rows, and between training and held-out rows.

        The latter is None if a class has no held-out row, and of a single class.
        """
        return self.divergence(components), self.held_out_divergence(components)

    def held_out_divergence(self, components: FloatArray) -> float | None:
        """Divergence between training and held-out rows; None if a class has no held-out row."""
        components = self.standardized(components)
        return self._divergence_held_out(components)

    def rows(self, components: FloatArray, most: int) -> ProjectedRows:
        """About `most` training and `most` held-out rows as they are drawn, stratified by class."""
        components = self.standardized(components)
        (train, train_y), (held_out, held_out_y) = (
            self._evenly(data, most / max(1, len(data.y))) for data in self.parts
        )
        return ProjectedRows(train @ components.T, train_y, held_out @ components.T, held_out_y)

    def _evenly(self, data: LabeledData, share: float) -> tuple[FloatArray, IntArray]:
        sample = stratified_sample(data.y, share, self._n_classes)
        return data.X[sample], data.y[sample]

    def divergence(self, components: FloatArray) -> float:
        """The Cauchy-Schwarz divergence of the training rows in a plane, in nats."""
        return self._divergence(self.standardized(components))  # which it does not depend on

    def _divergence(self, components: FloatArray) -> float:
        of_table = None if self._table is None else self._table.divergence(components, self.gamma)
        if of_table is not None:
            return of_table
        return bounded_divergence(self._search_densities(components), self.gamma)

    def divergence_terms(self, components: FloatArray) -> tuple[tuple[int, int], DivergenceTerms]:
        """The two classes that are told apart least, and the terms of their divergence.

        The terms are those of orthonormal directions of the prepared features, as in the MELM
        paper and in `MELM`; in other coordinates of the plane both change by the same number.

        Raises
        ------
        UserError
            If there is one class alone, or they would take longer than a divergence may.
        """
        if self._n_classes == 1:
            raise UserError("A single class has no divergence. Use a table with two classes.")
        unit = self.standardized(components)
        classes = self._search_densities(unit)
        check_duration(classes, self.gamma)
        pair, terms = nearest_pair_terms(classes)
        _, log_scale = np.linalg.slogdet(unit @ unit.T)
        return pair, DivergenceTerms(terms.fitting - log_scale, terms.regularizing - log_scale)

    def _scores(self, rule: DensityRule, components: FloatArray) -> Scores:
        divergence_held_out = self._divergence_held_out(components)
        n_train = len(self._train.scored_y)
        # In one call, which prepares the densities of all rows once.
        points = self._scored(components)
        # Training rows are left out of their own density, held-out rows are not in any.
        left_out = np.concatenate([self._train.scored_y, np.full(len(self._held_out.scored_y), -1)])
        y = np.concatenate([self._train.scored_y, self._held_out.scored_y])
        right = rule.most_likely(points, left_out) == y
        return Scores(
            accuracy_train=balanced_share(right[:n_train], y[:n_train]),
            accuracy_held_out=None
            if divergence_held_out is None
            else balanced_share(right[n_train:], y[n_train:]),
            divergence_held_out=divergence_held_out,
            batches=None
            if self._batches is None
            else self._batches.scores(components, self.density_gamma / self._own_gamma),
        )

    def regions(
        self, components: FloatArray, unseen: UnseenRows | None = None
    ) -> list[RegionShare]:
        """The shares of training and held-out rows in every region of a view from the front.

        Of a table whose densities are known, training rows are those of the sample. Those of one
        component are the parts of the line where the density of a class is highest. Regions of
        unseen places, where they are given, hold shares of these in place of held-out rows.
        """
        drawn = self.standardized(components)[:2]
        if unseen is not None:
            train = self.parts[0]
            fitted = [train.X[train.y == code] @ drawn.T for code in range(self._n_classes)]
            return unseen.shares(drawn, fitted, self.density_gamma)
        classes = self._class_rule(self.standardized(components)).classes
        if self.n_components > 2:
            classes = classes.project(np.eye(2, self.n_components))
        held_out = self.parts[1]
        rows = [held_out.X[held_out.y == code] @ drawn.T for code in range(self._n_classes)]
        if self.n_components == 1:
            return line_region_shares(classes, CONTOUR_SHARES, rows)
        return region_shares(plane_regions(classes), rows)

    def importance(self, components: FloatArray) -> Importance | None:
        """Importance of each feature on held-out rows; None if a class has fewer than two.

        None also of a single class, in which nothing is told apart.
        """
        held_out, components = self.parts[1], self.standardized(components)
        if not self._tells_apart(held_out):
            return None
        of_columns = Importance.of(
            self._class_rule(components),
            components,
            held_out.X,
            held_out.y,
            groups=held_out.feature_groups,
        )
        # The columns of a curve have the loss of its feature.
        features = slice(len(self.feature_names))
        return replace(
            of_columns,
            loss=of_columns.loss[features],
            error=of_columns.error[features],
            share_loss=of_columns.share_loss[features],
            groups=None if of_columns.groups is None else of_columns.groups[features],
        )

    def second_component(self, components: FloatArray) -> ComponentGain | None:
        """Gain of the second of two components on held-out rows, an even sample of many.

        None of another number of components, of a single class, and if a class has fewer than two
        held-out rows.
        """
        held_out, components = self.parts[1], self.standardized(components)
        if self.n_components != 2 or not self._tells_apart(held_out):
            return None
        X, y = self._evenly(held_out, min(1.0, MAX_DRAWN_ROWS / len(held_out.y)))
        return ComponentGain.of(self._class_rule(components), X @ components.T, y)

    def _tells_apart(self, held_out: LabeledData) -> bool:
        """Return whether there are classes, with enough held-out rows to weigh losses on."""
        counts = np.bincount(held_out.y, minlength=self._n_classes)
        return len(counts) > 1 and bool(counts.min() >= 2)

    def _scored(self, components: FloatArray) -> FloatArray:
        """Coordinates of the training and held-out rows that are scored."""
        samples = (self._train.scored, self._held_out.scored)
        return np.concatenate([sample.project(components) for sample in samples])

    def held_out_predictions(self, components: FloatArray) -> Predictions:
        """The class with the largest density at each held-out row that is scored."""
        components = self.standardized(components)
        sampled = self._held_out
        points = sampled.scored.project(components)
        predicted = self._class_rule(components).most_likely(points)
        return Predictions(sampled.scored_y, predicted, sampled.scored_groups)

    def _divergence_held_out(self, components: FloatArray) -> float | None:
        held_out = self._held_out.scored_by_class(components, self._n_classes)
        if min(map(len, held_out)) == 0 or len(held_out) == 1:
            return None
        sample = self._train.scored_by_class(components, self._n_classes)
        kernels = self._search_kernels(components)
        return held_out_divergence(ClassDensities(tuple(sample), kernels), held_out)


def screen_axes(view_angle: tuple[float, float]) -> FloatArray:
    """The projection from three coordinates to the two on screen, shape (2, 3).

    Parameters
    ----------
    view_angle : tuple of float
        Azimuth and elevation in radians; at (0, 0) the first two coordinates are on screen.
    """
    azimuth, elevation = view_angle
    right = [np.cos(azimuth), 0.0, np.sin(azimuth)]
    up = [
        np.sin(elevation) * np.sin(azimuth),
        np.cos(elevation),
        -np.sin(elevation) * np.cos(azimuth),
    ]
    return np.array([right, up])


def _bounds(parts: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    points = np.concatenate(parts)
    return np.nanmin(points, axis=0), np.nanmax(points, axis=0)


def _vertices(arrows: Arrows) -> list[FloatArray]:
    """The vertices of the paths of bent features."""
    if arrows.paths is None:
        return []
    vertices = arrows.paths.reshape(-1, 2)
    return [vertices[np.isfinite(vertices).all(axis=1)]]


def _arrow_scale(loadings: FloatArray, side: float) -> float:
    """The scale at which the longest arrow spans 40 % of a side of the view."""
    longest = np.linalg.norm(loadings, axis=1).max(initial=0)
    return _largest_scale(np.array([0.4 * side]), np.array([longest]))


def _largest_scale(rooms: FloatArray, lengths: FloatArray) -> float:
    """The largest scale at which every length keeps within its room; 1 where there is nothing."""
    drawn = lengths > np.finfo(np.float64).tiny * np.maximum(rooms, 1)
    return float(min(rooms[drawn] / lengths[drawn], default=1.0))


class TrainingCovariance:
    """The covariance of some rows, by a root R with R'R the covariance.

    The root of more rows than features is kept; that of more features than rows would have as many
    entries as the table, so the rows themselves are projected.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    """

    def __init__(self, X: FloatArray) -> None:
        self._X = X
        self.mean: FloatArray = X.mean(axis=0)
        is_wide = X.shape[1] > len(X)
        self._root: FloatArray | None = None
        if not is_wide:
            self._root = np.asarray(np.linalg.qr(self._centered(), mode="r"))

    def along(self, components: FloatArray) -> FloatArray:
        """The covariance of the coordinates, shape (n_components, n_components)."""
        if self._root is None:
            projected = (self._X @ components.T - components @ self.mean).T
            return np.asarray(projected @ projected.T / len(self._X))
        projected = components @ self._root.T
        return np.asarray(projected @ projected.T)

    def explained_shares(self, components: FloatArray) -> FloatArray:
        """The share of the variance along each axis, see `joint_variance_shares`."""
        root = self._centered() if self._root is None else self._root
        return joint_variance_shares(components, root)

    def _centered(self) -> FloatArray:
        """The root that is as large as the table."""
        centered: FloatArray = self._X - self.mean
        centered /= np.sqrt(len(self._X))
        return centered


def standardized(components: FloatArray, covariance: FloatArray) -> FloatArray:
    """Components of the same plane in which the data have unit covariance.

    Uses the symmetric inverse square root, which rotates as little as possible, so a smooth
    sequence of planes is drawn smoothly.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    covariance : ndarray of shape (n_components, n_components)
        Covariance of the projected data.
    """
    root, _ = inverse_root(covariance)
    left, stretches, _ = np.linalg.svd(root)
    symmetric = (left * stretches) @ left.T
    rows: FloatArray = symmetric @ components
    return rows


def of_one_scale(components: FloatArray, covariance: FloatArray) -> FloatArray:
    """Components that draw the same picture in which the mean variance of the data is 1.

    Parameters
    ----------
    components, covariance
        As those of `standardized`.
    """
    variance = float(np.trace(covariance)) / len(components)
    rows: FloatArray = components / (np.sqrt(variance) if variance > 0.0 else 1.0)
    return rows


def viewer_of_rows(
    X: FloatArray,
    y: IntArray,
    n_components: int,
    *,
    feature_names: Sequence[str],
    class_names: Sequence[str],
    gamma: float,
    held_out: tuple[FloatArray, IntArray] | None = None,
) -> PlaneViewer:
    """Return the viewer of rows in any plane, with the densities of a kernel width.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        As it was fitted. Rows are numbered from 1.
    y : ndarray of shape (n_samples,)
        Class codes, 0 to n_classes - 1.
    n_components : int
    feature_names, class_names : sequence of str
    gamma : float
        Kernel width of the densities, relative to Silverman's rule.
    held_out : tuple of ndarray, optional
        Further rows and their class codes, drawn without kernels of their own; their numbers go on.
    """
    names = (tuple(feature_names), tuple(class_names))
    train = _labeled(X, y, *names)
    further = (X[:0], y[:0]) if held_out is None else held_out
    others = _labeled(*further, *names, n_before=len(X))
    return PlaneViewer(train, others, gamma, n_components)


def view_of_rows(
    X: FloatArray,
    y: IntArray,
    components: FloatArray,
    *,
    feature_names: Sequence[str],
    class_names: Sequence[str],
    gamma: float,
) -> PlaneView:
    """Return the view of rows in a plane: see `viewer_of_rows`.

    Parameters
    ----------
    components : ndarray of shape (n_components, n_features)
    """
    viewer = viewer_of_rows(
        X,
        y,
        len(components),
        feature_names=feature_names,
        class_names=class_names,
        gamma=gamma,
    )
    return viewer.view(np.asarray(components))


def _labeled(
    X: FloatArray,
    y: IntArray,
    feature_names: tuple[str, ...],
    class_names: tuple[str, ...],
    n_before: int = 0,
) -> LabeledData:
    n_features = len(feature_names)
    return LabeledData(
        name="",
        X=np.asarray(X, dtype=np.float64),
        y=np.asarray(y, dtype=np.int64),
        class_names=class_names,
        feature_names=feature_names,
        center=np.zeros(n_features),
        scale=np.ones(n_features),
        row_numbers=n_before + np.arange(1, len(X) + 1),
        steps=(),
        encodings=tuple(map(ColumnEncoding, feature_names)),
    )
