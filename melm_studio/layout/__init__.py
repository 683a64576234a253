"""Everything on the page, as Dash components, and the ids of its elements."""
