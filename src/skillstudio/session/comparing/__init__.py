"""Two versions of an open skill."""
