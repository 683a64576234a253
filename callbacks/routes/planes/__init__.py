"""Routes of the planes beside that of a run: those of its tree, those of resamples."""
