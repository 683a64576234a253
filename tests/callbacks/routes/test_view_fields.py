"""Every field by which the page's scripts describe a view is one that the routes read."""

from __future__ import annotations

import pytest

from melm_studio.planes.view_options import ViewOptions


@pytest.mark.parametrize("field", ViewOptions.__struct_encode_fields__)
def test_a_route_reads_the_field_and_refuses_a_value_that_is_none(field, studio, visitor):
    visitor.choose_sample("wine")
    run = visitor.start(method="pca")
    studio.work()
    answer = visitor.http.get(f"/runs/{run}/planes/0", query_string={field: "no:value"})
    assert answer.status_code in {400, 404}, f"{field} is ignored"
