"""Run a prepared process: capture its output, enforce limits, end its process tree."""
