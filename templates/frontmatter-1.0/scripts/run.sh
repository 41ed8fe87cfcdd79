#!/usr/bin/env bash
# Write a report about a subject.
# usage: run.sh SUBJECT [OUTPUT_DIR]
set -euo pipefail

subject="${1:?usage: run.sh SUBJECT [OUTPUT_DIR]}"
output_dir="${2:-reports}"

mkdir -p "$output_dir"
printf '# %s\n' "$subject" >"$output_dir/$subject.md"
echo "$output_dir/$subject.md"
