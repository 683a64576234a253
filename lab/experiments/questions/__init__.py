"""Questions about methods, whose answers are printed as they are computed."""
