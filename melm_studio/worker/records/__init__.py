"""What a run is, and the values that stores keep beside it."""
