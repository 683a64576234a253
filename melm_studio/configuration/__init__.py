"""Settings, limits, logs, messages, clocks."""
