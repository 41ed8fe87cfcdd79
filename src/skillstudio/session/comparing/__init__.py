"""Compare two versions of an open skill."""
