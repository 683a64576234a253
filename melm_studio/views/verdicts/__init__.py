"""How real a plane is, in words: the strip above the picture, and the check."""
