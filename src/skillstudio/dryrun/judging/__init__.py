"""Judge what was observed of a run against what the manifest declares."""
