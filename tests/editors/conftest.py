"""What is installed in editors and in CI.

test_vscode.py compares the VS Code extension with the server and runs the tests of the extension;
test_ci.py validates the action, the job for GitLab and the workflows, and runs their scripts.
"""
