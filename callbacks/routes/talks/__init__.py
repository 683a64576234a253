"""Talks: a presenter shares what is shown in Present, and an audience follows it."""
