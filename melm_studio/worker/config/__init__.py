"""Settings, log format, messages and addresses."""
