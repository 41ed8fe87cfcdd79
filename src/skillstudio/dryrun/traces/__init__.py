"""Runs that are kept."""
