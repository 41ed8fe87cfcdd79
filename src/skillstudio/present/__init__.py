"""What people read about plans, runs, comparisons, cards and problems, worded once."""
