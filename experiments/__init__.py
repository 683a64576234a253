"""What was tried, as commands that print what it gave."""
