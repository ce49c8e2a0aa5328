#!/usr/bin/env bash
# Puts the cct of this checkout on the path: action and command are one version, the one the workflow pinned.
# Its dependencies are those of package-lock.json, and all of them only build it.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
[ -e "$root/dist/cli/main.cjs" ] || (cd "$root" && npm ci --no-audit --no-fund)

bin=$(mktemp -d "${RUNNER_TEMP:-/tmp}/cct.XXXXXX")
ln -s "$root/bin/cct.js" "$bin/cct"
echo "$bin" >>"$GITHUB_PATH"
