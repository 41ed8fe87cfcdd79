"""The server for agents.

test_stdio.py starts it as agents do, with the client of the SDK; test_server.py has many, long and
cancelled requests; test_places.py has the paths that clients may use.
"""
