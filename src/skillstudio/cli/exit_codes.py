"""Exit statuses and what they mean."""

OK = 0
PROBLEMS = 1
USAGE = 2
REQUIREMENT_MISSING = 3
ISOLATION_MISSING = 4
TIMED_OUT = 124
CANCELLED = 130

MEANINGS = {
    OK: "done",
    PROBLEMS: "problems at or above the threshold, or the operation failed",
    USAGE: "wrong usage, or an input that cannot be read",
    REQUIREMENT_MISSING: "a requirement of the operation is missing",
    ISOLATION_MISSING: "the required isolation level is not available",
    TIMED_OUT: "timed out",
    CANCELLED: "cancelled",
}
