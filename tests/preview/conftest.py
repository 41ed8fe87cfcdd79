"""How files are rendered, and a skill as agents see it.

test_kinds.py has a case for each kind of file (samples.py); test_markdown.py, test_json_text.py,
test_folding.py, test_pictures.py and test_difference.py test views; test_any_file.py and
test_bounds.py hostile and large files. test_card.py and test_topics.py: what agents see.
"""
