#!/usr/bin/env bash
# Copy a folder into a dated archive. Older archives are removed.
#
# usage: backup.sh -t FOLDER [-k COUNT] [-v] [-x PATTERN] SOURCE [NAME]
#   -t FOLDER   where the archives lie
#   -k COUNT    how many archives to keep
#   -x PATTERN  what to leave out
#   -v          name every file
set -euo pipefail

target=
keep=7
verbose=
exclude=

usage() {
  sed -n '4,8s/^# *//p' "$0" >&2
  exit "$1"
}

while getopts ':t:k:x:vh' option; do
  case $option in
    t) target=$OPTARG ;;
    k) keep=$OPTARG ;;
    x) exclude="$OPTARG" ;;
    v)
      verbose=-v
      ;;
    h) usage 0 ;;
    *) usage 2 ;;
  esac
done
shift $((OPTIND - 1))

[ -n "$target" ] || usage 2
source_folder="${1:?usage: backup.sh -t FOLDER SOURCE}"
name="${2:-backup}"

mkdir -p "$target"
tar -czf "$target/$name-$(date +%F).tgz" $verbose ${exclude:+--exclude="$exclude"} -- "$source_folder"
find "$target" -name "$name-*.tgz" | sort -r | awk -v keep="$keep" 'NR > keep { print $1 }' |
  while read -r old; do
    rm -- "$old"
  done
