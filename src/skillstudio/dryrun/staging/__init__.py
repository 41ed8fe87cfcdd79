"""Copies of the folders that a run may change."""
