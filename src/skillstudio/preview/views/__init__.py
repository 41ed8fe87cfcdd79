"""One view per kind of file."""
