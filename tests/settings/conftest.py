"""The settings file of a workspace.

test_settings.py: which file applies in a folder; test_read.py: what is read from it and which
problems are reported; test_schema.py: the JSON Schema that editors use, and the examples in docs/.
"""
