"""macOS and Windows, as far as Linux can show them: without what their Python lacks.

`missing.toml` lists what is missing, `removal.py` takes it away, `every_verb.py` runs command lines
then. `test_windows_paths.py` tests paths with backslashes.
"""
