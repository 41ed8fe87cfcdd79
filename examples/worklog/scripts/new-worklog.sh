#!/usr/bin/env bash
# Create the worklog of one day from the template and data of git, and print its path.
# usage: new-worklog.sh [--replace] [SESSION_DATE [TOPIC [OUTPUT_DIR]]]
# The defaults are SKILL_INPUT_SESSION_DATE, SKILL_INPUT_TOPIC and SKILL_INPUT_OUTPUT_DIR.
set -euo pipefail
shopt -u patsub_replacement 2>/dev/null || true

usage="usage: new-worklog.sh [--replace] [SESSION_DATE [TOPIC [OUTPUT_DIR]]]"
fail() {
  echo "new-worklog.sh: $1" >&2
  exit 2
}

replace=false
if [ "${1-}" = --replace ]; then
  replace=true
  shift
fi
day="${1:-${SKILL_INPUT_SESSION_DATE:?$usage}}"
topic="${2:-${SKILL_INPUT_TOPIC:-session}}"
folder="${3:-${SKILL_INPUT_OUTPUT_DIR:-docs/worklogs}}"
if ! [[ "$topic" =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]]; then
  fail "use only letters, digits, dots and dashes in the topic: $topic"
fi
case "/$folder/" in
  //* | */../*) fail "not a folder in the repository: $folder" ;;
esac

skill="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
metrics="$("$BASH" "$skill/scripts/extract-metrics.sh" "$day")"
root="$(git rev-parse --show-toplevel)"
path="$folder/$day-$topic.org"
if [ -e "$root/$path" ] && [ "$replace" = false ]; then
  fail "$path already exists; use --replace to overwrite it"
fi

text="$(cat "$skill/templates/worklog-template.org")"
while IFS='=' read -r name value; do
  text="${text//"{{$name}}"/$value}"
done <<<"project=${PROJECT:-$(basename "$root")}
topic=$topic
session_date=$day
$metrics"

mkdir -p "$root/$folder"
printf '%s\n' "$text" >"$root/$path"
echo "$path"
