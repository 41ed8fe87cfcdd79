"""The project itself: its sources, texts, pages and packages.

Sources: test_imports.py, test_circles.py, test_names.py, test_dialects.py, test_words.py. Texts:
test_language.py. Pages: test_docs.py, test_console.py (commands in tutorials), test_manpage.py,
test_site.py. Wheel and source archive: test_packaging.py. Tests: test_near.py, test_folders.py.
"""
