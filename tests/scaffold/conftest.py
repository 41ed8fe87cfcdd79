"""New skills, conversion between dialects, and archives.

new/ has templates (test_shipped.py: ours; test_renderer.py: hostile ones), skills from scripts and
updates; conversion/ has migrate and export, with a report of each value; packing/ has zip,
tar and OCI, and what is unpacked of them.
"""
