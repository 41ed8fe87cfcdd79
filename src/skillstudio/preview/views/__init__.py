"""One view a kind of file."""
