"""Running what an isolation level prepared: its output is kept, its time is limited, its tree is
ended."""
