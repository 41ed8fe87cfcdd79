"""The language server for editors.

test_features.py has a case for each request (`‸` marks the cursor), test_documents.py positions and
changes of texts; test_lifecycle.py, test_server.py and test_bad_input.py have errors. client.py
starts a server, and meta_model.py validates all messages. Real editors are in tests/editors.
"""
