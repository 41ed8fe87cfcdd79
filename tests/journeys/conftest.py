"""Whole user stories, in real terminals, shells and repositories.

*_terminal.py presses keys in tmux (terminal.py drives it; most are slow). By commands:
test_versions.py, test_worklog.py, test_templates.py, test_around_git.py. Failures: test_crash.py,
test_saving.py, test_bad_inputs_*.py. Pictures of the documentation: test_screenshots.py.
"""
