from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from melm_core.baselines.kernel_fisher import KernelFisherDiscriminant
from melm_core.datasets import crescents
from melm_core.kernel_machines.classifier import ApproximateKernelClassifier
from tests.melm_core.helpers import classes

# The machines of small tables are small, and the faster ones.
pytestmark = pytest.mark.filterwarnings(
    "ignore::melm_core.kernel_machines.approximation.ApproximationWarning"
)

MACHINES = [
    SVC(gamma=4.0),
    KernelFisherDiscriminant(bandwidth=0.35, regularization=0.03),
    KernelRidge(alpha=10.0, kernel="rbf", gamma=4.0),
    GaussianProcessRegressor(RBF(0.35), alpha=1.0, optimizer=None),
]
X, Y = crescents(0)
NEW, Y_NEW = crescents(1)


@pytest.mark.parametrize("machine", MACHINES, ids=repr)
def test_the_approximation_classifies_as_the_machine_does(machine):
    model = ApproximateKernelClassifier(machine).fit(X, Y)
    exact = model.machine_.decision_function(NEW) > 0
    assert np.mean(exact == model.predict(NEW)) > 0.95
    assert model.score(NEW, Y_NEW) > 0.9


def test_labels_of_any_kind_come_back():
    names = np.array(["upper", "lower"])[Y]
    model = ApproximateKernelClassifier(SVC(gamma=4.0)).fit(X, names)
    assert model.classes_.tolist() == ["lower", "upper"]
    values = model.decision_function(NEW)
    np.testing.assert_array_equal(model.predict(NEW), model.classes_[(values > 0).astype(int)])


def test_the_machine_that_was_given_is_not_touched():
    machine = SVC(gamma=4.0)
    ApproximateKernelClassifier(machine).fit(X, Y)
    assert not hasattr(machine, "support_vectors_")


def test_it_stands_in_a_pipeline_and_a_grid_search():
    pipeline = make_pipeline(StandardScaler(), ApproximateKernelClassifier(SVC(gamma=2.0)))
    grid = {
        "approximatekernelclassifier__estimator__C": [0.1, 1.0],
        "approximatekernelclassifier__refit": [True, False],
    }
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, Y)
    assert len(search.cv_results_["params"]) == 4
    assert search.score(NEW, Y_NEW) > 0.9


def test_three_classes_are_refused_and_one_against_the_rest_is_the_way_out():
    many, y = classes(3, 2)
    with pytest.raises(ValueError, match=r"Only binary classification .* OneVsRestClassifier"):
        ApproximateKernelClassifier(SVC()).fit(many, y)
    model = OneVsRestClassifier(ApproximateKernelClassifier(SVC())).fit(many, y)
    assert model.predict(many).shape == y.shape


def test_a_kernel_that_is_not_gaussian_is_refused():
    with pytest.raises(ValueError, match="kernel='poly' is not Gaussian"):
        ApproximateKernelClassifier(SVC(kernel="poly")).fit(X, Y)


def test_an_odd_order_is_refused():
    with pytest.raises(ValueError, match="order=5 is odd"):
        ApproximateKernelClassifier(SVC(), order=5).fit(X, Y)
