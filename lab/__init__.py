"""The laboratory and the workshop: what measures, proves and documents the studio (README.md)."""
