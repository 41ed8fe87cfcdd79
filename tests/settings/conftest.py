"""The settings file of a workspace.

test_read.py: what is read from it and which problems are reported; test_schema.py: the JSON Schema
that editors use, and the examples in docs/.
"""
