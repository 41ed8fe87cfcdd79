#!/usr/bin/env bash
# Hand an operation and its arguments to memory.py beside this file.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/memory.py" "$@"
