"""What an open skill makes, made, and looks like to others."""
