"""The figures of the papers."""
