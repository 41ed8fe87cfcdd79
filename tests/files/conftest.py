"""Trees of files: disk, archives, git, paths, ignore rules, and writing.

Reading: test_disk.py, test_listed.py, test_archive.py, test_repository.py and test_git.py. Paths
that lead out of a folder: test_paths.py, test_beneath.py. Writing: saving/ for one file (locks,
attributes, kills), test_placing.py for a folder. test_ignore.py compares ignore rules with git.
"""
