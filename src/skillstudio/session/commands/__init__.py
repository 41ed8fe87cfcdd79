"""Everything the workbench can do, and the keys for it."""
