#!/usr/bin/env bash
# Runs claude, keeps its stream in a file, tells what was done and spent, and fails as the run did or when a budget was passed.
#
#   PROMPT='Write the report' MAX_USD=2 ./run.sh
#
# PROMPT       what claude is to do
# CLAUDE_ARGS  more words for claude, cut at spaces
# STREAM       where the stream is kept (claude.ndjson)
# MAX_USD, MAX_TOKENS  the run is stopped when it takes more
#
# Exit code: 0 it succeeded; 1 it failed, or ended without a result; 3 a budget was passed; otherwise as claude or cct.
set -uo pipefail

stream=${STREAM:-claude.ndjson}
budget=()
[ -n "${MAX_USD:-}" ] && budget+=(--max-usd "$MAX_USD")
[ -n "${MAX_TOKENS:-}" ] && budget+=(--max-tokens "$MAX_TOKENS")

# When the budget is passed cct ends, which closes the pipe, which ends claude.
# shellcheck disable=SC2086
claude -p "$PROMPT" --output-format stream-json --verbose ${CLAUDE_ARGS:-} </dev/null |
  tee "$stream" |
  cct usage -e ${budget[@]+"${budget[@]}"} >/dev/null
codes=("${PIPESTATUS[@]}")

summary() {
  echo '### What it cost'
  echo
  cct usage -q -f md --fields model,messages,input_tokens,output_tokens,cache_read_tokens,cost_usd "$stream"
  local members
  members=$(cct teams -q --members -f md --fields name,status,model,tool_calls,tool_errors,total_tokens "$stream")
  # A run without agents has a head of a table only.
  if [ "$(wc -l <<<"$members")" -gt 2 ]; then printf '\n### Who worked\n\n%s\n' "$members"; fi
}
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then summary >>"$GITHUB_STEP_SUMMARY"; else summary; fi

outputs() {
  cct usage -q -f github "$stream"
  echo "stream=$stream"
}
if [ -n "${GITHUB_OUTPUT:-}" ]; then outputs >>"$GITHUB_OUTPUT"; fi

[ "${codes[2]}" -ne 0 ] && exit "${codes[2]}"
exit "${codes[0]}"
