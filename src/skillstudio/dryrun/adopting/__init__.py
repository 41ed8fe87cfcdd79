"""What a run showed, as edits of the manifest for the author to pick."""
