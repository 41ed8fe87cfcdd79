"""The wizard for a new skill."""
