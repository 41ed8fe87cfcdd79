"""What was seen of a run, held against what the manifest declares."""
