"""Dry runs: plan, stage, run, observe, judge, report. Nothing else starts a skill's program."""
