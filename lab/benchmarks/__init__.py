"""Benchmarks of speed and scale; one command each."""
