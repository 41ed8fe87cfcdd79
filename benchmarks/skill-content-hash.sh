#!/usr/bin/env bash
# The script by which content_hash was specified, as it was published: one shell for every file.
# Never run it on files of others: a name such as $(cmd) is a command to it.
# usage: skill-content-hash.sh <skill-dir>
set -euo pipefail

SKILL_DIR="${1:-.}"
SKILL_DIR="$(cd "$SKILL_DIR" && pwd)"

if [[ -f "$SKILL_DIR/.skillignore" ]]; then
  EXCLUDE_FILE="$SKILL_DIR/.skillignore"
else
  EXCLUDE_FILE=""
fi

(
  cd "$SKILL_DIR"
  find . -type f \
    ! -path './.git/*' \
    ! -path './.skillignore' \
    ! -name '*.pyc' \
    ! -name '.DS_Store' \
    ! -name '__pycache__' \
    ${EXCLUDE_FILE:+-not -path "$(cat "$EXCLUDE_FILE" | grep -v '^#' | tr '\n' '|' | sed 's/|$//')"} \
    -print0 |
    sort -z |
    xargs -0 -I {} sh -c 'echo "{}"; cat "{}"' |
    sha256sum |
    cut -d' ' -f1
)
