"""The language server for editors.

test_features.py has a case for each request (`‸` marks the cursor), over standard input and output
as client.py speaks it; test_documents.py has positions and changes of texts; test_lifecycle.py,
test_server.py and test_bad_input.py have errors; test_neovim.py starts a real editor.
"""
