"""The workbench in a browser; only this package knows HTTP."""
