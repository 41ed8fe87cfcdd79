"""Running an operation of the open skill."""
