"""Talks: a presenter shares what is shown in Present, and an audience follows it."""

# The routes of viewers, to whom nobody gives a cookie and of whom none is asked.
VIEWER_ENDPOINTS = frozenset({"talk_page", "talk_pictures"})
