#!/usr/bin/env bash
# Report the free bytes on the disk that contains a folder. The last line is JSON.
# usage: free.sh FOLDER
set -euo pipefail

fail() {
  printf '{"status": "error", "error": "%s"}\n' "$1"
  exit 1
}

folder="${1-}"
[ -n "$folder" ] || fail "usage: free.sh FOLDER"
[ -d "$folder" ] || fail "folder not found"
# -P prints one line per disk, -k uses units of 1024 bytes.
kilobytes=$(df -Pk -- "$folder" 2>/dev/null | awk 'NR == 2 { print $4 }')
case "$kilobytes" in
  '' | *[!0-9]*) fail "cannot determine the free space" ;;
esac
printf '{"status": "ok", "bytes": %s}\n' "$((kilobytes * 1024))"
