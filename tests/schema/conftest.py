"""JSON Schema: validation, inclusion, samples, and our own regular expressions in regex/.

test_engine.py compares the two engines; test_diagnostics.py has the message and place of each
keyword. Whether one schema accepts all that another does: test_inclusion.py has a table,
test_inclusion_at_random.py a search. test_sample.py and test_solver.py: values.
"""
