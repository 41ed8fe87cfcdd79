"""Start a script of a skill by its path, because the manifest has no entrypoints."""

from skillstudio.manifest.launching import launch_script as launch

__all__ = ["launch"]
