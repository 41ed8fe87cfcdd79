#!/usr/bin/env bash
# Greet someone. The last line is JSON.
set -euo pipefail

name="${1:?usage: run.sh NAME}"
# JSON forbids these characters in a string unless they are escaped.
name="${name//\\/\\\\}"
name="${name//\"/\\\"}"
name="${name//[[:cntrl:]]/ }"
printf '{"status": "ok", "greeting": "Hello, %s!"}\n' "$name"
