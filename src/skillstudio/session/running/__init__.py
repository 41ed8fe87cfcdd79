"""Run an operation of the open skill."""
