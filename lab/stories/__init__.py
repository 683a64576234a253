"""The stories that come with the studio: what they say, and how they are made."""
