"""An open workspace without a screen, as the workbench uses it.

Here: buffers, drafts, files of a skill, themes, moving and packing. A folder for each view's state:
form/, wizard/, running/, previewing/, comparing/; commands/ has the keymap, vim/ the editor's modes
(test_against_vim.py asks a real Vim).
"""
