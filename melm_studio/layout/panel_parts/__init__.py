"""The parts of the panel template."""
