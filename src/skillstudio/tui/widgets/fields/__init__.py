"""The widgets of all fields: an entry, an editor with label and state, a list of editors."""
