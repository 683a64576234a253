"""Sums of kernels over pairs of rows, tiles, modes, near rows and blocks of a table."""
