"""The HTTP interface for programs, which docs/http-api.md describes."""
