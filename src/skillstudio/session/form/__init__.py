"""A manifest as fields, and what filling them in does to the text."""
