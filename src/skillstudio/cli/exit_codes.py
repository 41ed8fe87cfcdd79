"""What the exit status says; the table stands in the documentation too."""

OK = 0
PROBLEMS = 1
"""Problems at or above the threshold, or the operation failed."""
USAGE = 2
"""Wrong use, or an input that cannot be read."""
REQUIREMENT_MISSING = 3
ISOLATION_MISSING = 4
TIMED_OUT = 124
CANCELLED = 130
