"""How the plane of a run moves between resamples: its run, and what it says."""
