"""Every field by which the page's scripts describe a view is one that the routes read."""

from __future__ import annotations

import pytest

from melm_studio.views.query_names import ViewField


@pytest.mark.parametrize("field", ViewField)
def test_a_route_reads_the_field_and_refuses_a_value_that_is_none(field, studio, visitor):
    visitor.choose_sample("wine")
    run = visitor.start(method="pca")
    studio.work()
    answer = visitor.http.get(f"/runs/{run}/planes/0", query_string={field.value: "no:value"})
    assert answer.status_code in {400, 404}, f"{field} is ignored"
