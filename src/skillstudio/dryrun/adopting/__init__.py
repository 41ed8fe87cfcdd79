"""Turn what a run showed into edits of the manifest for the author to pick."""
