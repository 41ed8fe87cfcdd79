#!/usr/bin/env bash
# Tell how many bytes are left on the disk that holds a folder. The last line is JSON.
# usage: free.sh FOLDER
set -euo pipefail

fail() {
  printf '{"status": "error", "error": "%s"}\n' "$1"
  exit 1
}

folder="${1-}"
[ -n "$folder" ] || fail "usage: free.sh FOLDER"
[ -d "$folder" ] || fail "there is no such folder"
# -P keeps each disk on one line, -k counts in units of 1024 bytes.
kilobytes=$(df -Pk -- "$folder" 2>/dev/null | awk 'NR == 2 { print $4 }')
case "$kilobytes" in
  '' | *[!0-9]*) fail "the system does not say how much is left" ;;
esac
printf '{"status": "ok", "bytes": %s}\n' "$((kilobytes * 1024))"
