"""Settings, logs, messages and addresses."""
