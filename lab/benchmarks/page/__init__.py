"""Speed of the page, in a browser or over HTTP."""
