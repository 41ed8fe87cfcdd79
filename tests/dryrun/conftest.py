"""Dry runs: a folder for each part, and tests of whole runs (test_run.py, test_secrets.py).

planning/, staging/, isolation/ (test_escapes.py: ways out of each level), running/, observing/ and
judging/ are the steps of a run; redaction/ and traces/ store it, adopting/ and applying/ use it.
sampling/ and network/ test repeated runs; truth/ compares verdicts with known effects.
"""
