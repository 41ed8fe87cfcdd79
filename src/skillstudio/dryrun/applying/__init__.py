"""Apply the changes of a run to the real folders, all or nothing."""
