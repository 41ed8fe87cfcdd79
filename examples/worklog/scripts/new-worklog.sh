#!/usr/bin/env bash
# Begin the worklog of one day from the template, with what git knows of the day, and print its path.
# usage: new-worklog.sh [--replace] YYYY-MM-DD [TOPIC] [OUTPUT_DIR]
# What is not given as an argument is taken from SKILL_INPUT_SESSION_DATE, _TOPIC and _OUTPUT_DIR.
set -euo pipefail
shopt -u patsub_replacement 2>/dev/null || true

usage="usage: new-worklog.sh [--replace] YYYY-MM-DD [TOPIC] [OUTPUT_DIR]"
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
  fail "a topic has letters, digits, dots and dashes: $topic"
fi
case "/$folder/" in
  //* | */../*) fail "not a folder in the repository: $folder" ;;
esac

skill="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
metrics="$("$BASH" "$skill/scripts/extract-metrics.sh" "$day")"
root="$(git rev-parse --show-toplevel)"
path="$folder/$day-$topic.org"
if [ -e "$root/$path" ] && [ "$replace" = false ]; then
  fail "$path is there already; --replace writes it anew"
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
