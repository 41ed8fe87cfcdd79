"""Parsers, edits and merges of text, with places.

reading/ has a file for each format and one for half-typed text; editing/ has edits that keep all
other bytes, test_edit.py their common properties; scripts/ reads the arguments of scripts.
test_merging.py, test_hunks.py and test_conflict.py: two texts. test_safe.py: control characters.
"""
