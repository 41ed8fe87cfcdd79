"""macOS and Windows, as far as Linux can show them: without what their Python lacks.

`missing.toml` lists what is missing, `removal.py` takes it away, `every_verb.py` runs command lines
then, with `programs/` in the place of programs of Windows. `test_windows_paths.py` tests paths with
backslashes, `test_without_folder_handles.py` paths that lead out of a folder.
"""
