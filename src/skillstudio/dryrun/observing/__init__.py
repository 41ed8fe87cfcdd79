"""What could be seen of a run, apart from the files that changed."""
