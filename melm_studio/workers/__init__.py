"""The processes that work the queue, and the work of one run: fit, recorder, heartbeat, pause."""
