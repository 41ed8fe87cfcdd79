"""skillstudio: a terminal workbench for people who write agent skills."""

__version__ = "0.1.0"
