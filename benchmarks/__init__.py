"""Speed and scale, measured; one command each."""
