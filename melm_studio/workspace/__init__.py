"""Work of a visitor: sources, shared views, stories, prepared tables."""
