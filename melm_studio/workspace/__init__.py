"""What a visitor has: sources, shared views, stories, prepared tables."""
