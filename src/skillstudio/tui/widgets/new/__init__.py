"""The steps of the wizard for a new skill."""
