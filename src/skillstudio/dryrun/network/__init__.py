"""The network of a run: which hosts it reaches, and recorded responses."""
