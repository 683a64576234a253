"""What the house is measured by."""

from __future__ import annotations

import pytest

from lab.house import ANSWERS, called, files_of_an_analysis, fit_of_iris, taken_by
from lab.sizes import n_modules


def test_functions_of_the_product_are_counted_and_those_of_others_are_not():
    with called() as found:
        sorted([2, 1], key=abs)
    assert (found.n_functions, found.n_files) == (0, 0)
    found = fit_of_iris()
    assert "MELM.fit" in {name for _, _, name in found.places}
    assert found.n_functions > found.n_files > 1


def test_an_analysis_is_one_module_and_one_registration():
    assert files_of_an_analysis() == 2


def test_modules_of_python_and_of_the_page_are_counted():
    assert all(number > 50 for number in n_modules())


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_what_an_answer_took_is_counted_with_those_who_name_it(answer):
    taken = taken_by(answer)
    assert taken.n_files == len(answer.modules)
    assert taken.n_lines > taken.n_tests > 0
    assert taken.n_others > 0  # its registration
