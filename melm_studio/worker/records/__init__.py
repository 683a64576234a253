"""The frozen records of runs, requests, checks and stored files."""
