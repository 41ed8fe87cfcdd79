#!/usr/bin/env bash
# Pass an operation and its arguments to memory.py in this folder.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/memory.py" "$@"
