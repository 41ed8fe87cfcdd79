"""The complete examples of ADR-002, with the nesting that is meant, are clean."""

from __future__ import annotations

from textwrap import dedent

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import analyse

EXAMPLES = {
    "simple-skill": (
        """
        ---
        name: simple-skill
        description: Does something simple
        ---
        """,
        [],
    ),
    "greeter": (
        """
        ---
        manifest_version: "1.0"
        name: greeter
        description: Greets the user
        inputs:
          required:
            - name: username
              description: Name of the user to greet
              schema:
                type: string
        ---
        """,
        [],
    ),
    "deploy": (
        """
        ---
        manifest_version: "1.0"
        name: deploy
        description: Deploy application to production
        inputs:
          required:
            - name: deploy_key
              description: SSH deployment key
              sensitive: true
              schema:
                type: string
        env:
          required:
            - name: DEPLOY_TOKEN
              description: Authentication token
              sensitive: true
        execution:
          network: true
          destructive: true
          timeout: 300
        sensitive: true
        ---
        """,
        [],
    ),
    "analyze-git": (
        r"""
        ---
        manifest_version: "1.0"
        name: analyze-git
        description: Analyze git repository history
        preconditions:
          commands:
            - cmd: git
              min_version: "2.40"
            - cmd: python3
              min_version: "3.11"
          files:
            - path: scripts/analyze.py
              base: skill_root
        inputs:
          optional:
            - name: since
              description: Analyze commits since this date
              schema:
                type: string
                pattern: "^\\d{4}-\\d{2}-\\d{2}$"
                default: "2025-01-01"
        outputs:
          files:
            - pattern: "reports/git-analysis-{{since}}.md"
              base: repo_root
        execution:
          idempotent: true
          timeout: 60
        ---
        """,
        [],
    ),
    "worklog": (
        r"""
        ---
        manifest_version: "1.0"
        name: worklog
        description: Create org-mode worklogs documenting work sessions.

        # Version info for reproducibility
        version: 1.0.0

        # What the skill needs to run
        inputs:
          required:
            - name: session_date
              description: Date of the session (YYYY-MM-DD)
              schema:
                type: string
                pattern: "^\\d{4}-\\d{2}-\\d{2}$"
          optional:
            - name: topic
              description: Brief topic descriptor for filename
              schema:
                type: string
                default: "session"
            - name: output_dir
              description: Directory for worklog output (relative to repo root)
              schema:
                type: string
                default: "docs/worklogs"
            - name: api_key
              description: API key for external service
              sensitive: true
              schema:
                type: string

        # Environment requirements
        env:
          required: []
          optional:
            - name: PROJECT
              description: Project name for context
            - name: API_TOKEN
              description: Authentication token
              sensitive: true

        # Tools/commands that must be available
        preconditions:
          commands:
            - cmd: git
              min_version: "2.40"
            - cmd: date
          files:
            - path: scripts/extract-metrics.sh
              base: skill_root
              description: Metrics extraction script
            - path: templates/worklog-template.org
              base: skill_root
              description: Worklog template

        # What the skill produces
        outputs:
          files:
            - pattern: "{{output_dir}}/{{session_date}}-{{topic}}.org"
              base: repo_root
              description: The generated worklog file
          artifacts: []

        # Execution characteristics (hints for scheduling, not enforcement)
        execution:
          idempotent: false      # Safe to re-run?
          destructive: false     # Modifies existing files?
          network: false         # Requires network access?
          interactive: false     # Requires user input during execution?
          timeout: 30            # Maximum execution time in seconds

        # For security classification
        sensitive: false         # Handles sensitive data?

        # The contract, as ADR-003 has it
        interface:
          inputs:
            - session_date       # Required inputs are part of contract
            - topic              # Optional inputs with defaults
          outputs:
            - pattern: "docs/worklogs/*.org"
          env:
            - PROJECT            # Required env vars
        ---
        """,
        # The optional api_key has no default; that is only a note.
        ["input-default-missing"],
    ),
}

FILES = {
    "scripts/extract-metrics.sh": b"",
    "scripts/analyze.py": b"",
    "templates/worklog-template.org": b"",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_clean(name: str) -> None:
    text, notes = EXAMPLES[name]
    text = dedent(text).lstrip() + "Run scripts/ with templates/.\n"
    told = analyse(MemoryTree({"SKILL.md": text.encode(), **FILES}, name)).diagnostics
    assert [each.rule for each in told] == notes
    assert all(each.severity == "info" for each in told)
