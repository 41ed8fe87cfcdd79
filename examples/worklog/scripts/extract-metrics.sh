#!/usr/bin/env bash
# Print data about one day of the current git repository, one name=value per line.
# usage: extract-metrics.sh [SESSION_DATE]
# The default for the day is SKILL_INPUT_SESSION_DATE.
set -euo pipefail

day="${1:-${SKILL_INPUT_SESSION_DATE:?usage: extract-metrics.sh [SESSION_DATE]}}"
if ! [[ "$day" =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]]; then
  echo "extract-metrics.sh: not a date such as 2025-12-31: $day" >&2
  exit 2
fi

log() {
  git log --since="$day 00:00:00" --until="$day 23:59:59" "$@"
}

commits="$(log --format=%h | wc -l)"
authors="$(log --format=%an | sort -u | paste -sd, -)"
files="$(log --format= --name-only | sort -u | sed '/^$/d' | wc -l)"
lines="$(log --format= --numstat | awk '
  $1 != "-" { added += $1; removed += $2 }
  END { printf "%d %d", added, removed }')"

echo "date=$day"
echo "branch=$(git rev-parse --abbrev-ref HEAD)"
echo "commits=$((commits))"
echo "files_changed=$((files))"
echo "lines_added=${lines% *}"
echo "lines_removed=${lines#* }"
echo "authors=$authors"
