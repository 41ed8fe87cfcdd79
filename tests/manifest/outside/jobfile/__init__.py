"""A dialect that is installed beside skillstudio: a job in `job.toml`."""
