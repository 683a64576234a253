"""Routes of stories: files, and those that come with the studio."""
