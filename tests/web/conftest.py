"""The workbench in browsers.

test_server.py: which requests are refused, and what a window receives; test_browser.py drives
headless Chromium, and is skipped without it.
"""
