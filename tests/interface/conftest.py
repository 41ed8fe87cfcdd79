"""Comparisons of two interfaces: which changes they report, at which level, in which words.

pairs.yaml has an example of each kind of change, mirrors.yaml the opposites, matrix.txt all
results. test_pairs.py, test_symmetry.py and test_kinds.py check these tables; test_properties.py
draws interfaces at random; test_bump.py has the required bump, test_messages.py the words.
"""
