"""Manifests: a folder for each dialect, and what is common to all of them.

mutations/ has a table for each dialect: a change of a valid manifest and its one diagnostic.
changes/ has pairs of versions, targets/ small skills at every target, explained/ the examples of
`explain`, outside/ a dialect from elsewhere. Editors: test_completion.py, test_hover.py.
"""
