"""Running what a rung prepared: its output is kept, its time is limited, its tree is ended."""
