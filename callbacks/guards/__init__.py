"""Guards that every request passes before its route, and every response after it."""
