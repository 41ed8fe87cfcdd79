"""What is installed in editors and in CI.

test_neovim.py and test_emacs.py start real editors; protocol_log.py logs their messages.
test_configurations.py compares files with docs/editors.md. test_vscode.py runs the tests of the VS
Code extension; test_ci.py validates the action, the job for GitLab and the workflows.
"""
