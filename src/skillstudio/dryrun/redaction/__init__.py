"""Remove sensitive values from everything that is shown or recorded."""
