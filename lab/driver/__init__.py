"""A running studio and its page, driven by tests, benchmarks and tools."""
