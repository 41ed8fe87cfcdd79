#!/usr/bin/env bash
# Push HEAD to the remote "production" with the key on standard input, then tell the server.
# Needs DEPLOY_TOKEN and DEPLOY_HOOK in the environment.
set -euo pipefail

: "${DEPLOY_TOKEN:?DEPLOY_TOKEN is not set}"
: "${DEPLOY_HOOK:?DEPLOY_HOOK is not set}"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
(umask 077 && cat >"$work/key")

commit="$(git rev-parse HEAD)"
GIT_SSH_COMMAND="ssh -i '$work/key' -o IdentitiesOnly=yes -o BatchMode=yes" \
  git push --quiet production HEAD:refs/heads/main

# The token goes through standard input: an argument could be seen in the list of processes.
printf 'header = "Authorization: Bearer %s"\n' "$DEPLOY_TOKEN" |
  curl --silent --show-error --fail --config - \
    --data-urlencode "commit=$commit" "$DEPLOY_HOOK" >/dev/null

echo "deployed $commit"
