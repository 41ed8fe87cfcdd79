"""Sensitive values, taken out of everything that is shown or kept."""
