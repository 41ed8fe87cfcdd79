"""What the tracer recorded of a run, as events."""
