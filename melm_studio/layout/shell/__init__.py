"""The page before the first run, and around all of them."""
