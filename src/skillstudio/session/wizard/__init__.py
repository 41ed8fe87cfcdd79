"""A new skill before it is made."""
