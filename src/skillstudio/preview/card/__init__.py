"""Summarize a skill as agents, installers and policies see it."""
