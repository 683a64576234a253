"""The tree of planes of a run: its run, what it says, and where its planes are drawn."""
