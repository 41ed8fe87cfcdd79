"""What people read about skills, runs and comparisons, as styled lines and tables.

test_both_doors.py compares the words of the command line with those of the workbench; each other
file tests the lines of one subject.
"""
