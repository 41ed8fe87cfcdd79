#!/bin/sh
# Print the files that changed since a commit.
# usage: changed.sh COMMIT
set -eu
git diff --name-only "${1:?usage: changed.sh COMMIT}"
