#!/usr/bin/env bash
# Runs claude under cct run, keeps its stream in a file, tells what was done and spent, and fails as the run did or when a budget was passed.
#
#   PROMPT='Write the report' MAX_USD=2 ./run.sh
#
# PROMPT       what claude is to do
# CLAUDE_ARGS  more words for claude, cut at spaces
# STREAM       where the stream is kept (claude.ndjson)
# REPORT       where the page of the run is written (claude.html)
# MAX_USD, MAX_TOKENS  the run is stopped when it takes more
# IDLE_TIMEOUT the run is stopped when nothing came for so many seconds
#
# Exit code: 0 it succeeded; 1 it failed, ended without a result, or nothing came for IDLE_TIMEOUT; 3 a budget was passed; otherwise as claude or cct.
set -uo pipefail

stream=${STREAM:-claude.ndjson}
report=${REPORT:-claude.html}
guard=(--keep "$stream")
[ -n "${MAX_USD:-}" ] && guard+=(--max-usd "$MAX_USD")
[ -n "${MAX_TOKENS:-}" ] && guard+=(--max-tokens "$MAX_TOKENS")
[ -n "${IDLE_TIMEOUT:-}" ] && guard+=(--idle-timeout "$IDLE_TIMEOUT")

# The more the stream shows, the sooner a limit is seen. Older versions of claude do not know every flag.
flags=(--output-format stream-json --verbose)
help=$(claude --help 2>/dev/null </dev/null)
for flag in --include-partial-messages --forward-subagent-text; do
  [[ $help == *"$flag"* ]] && flags+=("$flag")
done
# A second fence: what claude itself counts, also what no record shows.
[ -n "${MAX_USD:-}" ] && [[ $help == *--max-budget-usd* ]] && flags+=(--max-budget-usd "$MAX_USD")

said=$(mktemp)
trap 'rm -f "$said"' EXIT
# shellcheck disable=SC2086
{ cct run "${guard[@]}" -- claude -p "$PROMPT" "${flags[@]}" ${CLAUDE_ARGS:-} </dev/null >/dev/null; } 2>&1 | tee -i "$said" >&2
code=${PIPESTATUS[0]}
verdict=0
cct usage -q -e "$stream" >/dev/null || verdict=$?

# The names of models and the like are a text, no Markdown and no link.
plain() {
  sed -e 's/[][\\`<>*|&]/\\&/g' -e 's#://#:\\//#g' -e 's/www\./www\\./g'
}

outcome() {
  local why
  why=$(sed -n 's/^cct: //p' "$said" | head -1)
  if [ "$code" -eq 3 ] || grep -q '^cct: .* wrote nothing for ' "$said"; then
    echo "### Stopped: $why"
  elif [ "$code" -ne 0 ] || [ "$verdict" -ne 0 ]; then
    local ended reason
    ended=$(cct usage -q --by session -f tsv --fields outcome "$stream" | tail -n +2 | tail -1)
    reason=$(cct usage -q --by session -f tsv --fields reason "$stream" | tail -n +2 | tail -1)
    case $ended in
    '' | unfinished) reason=${why:-'it ended without a result'} ;;
    finished) reason='after a good result' ;;
    esac
    echo "### Failed: ${reason:-its result is an error} (exit code $code)"
  else
    echo '### Succeeded'
  fi | plain
}

# Whoever may see the job may see these, so secrets are taken out.
summary() {
  outcome
  echo
  cct report -q -f md --redact "$stream"
}
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then summary >>"$GITHUB_STEP_SUMMARY"; else summary; fi

cct report -q --redact -o "$report" "$stream"

outputs() {
  cct usage -q -f github "$stream"
  echo "stream=$stream"
  echo "report=$report"
}
if [ -n "${GITHUB_OUTPUT:-}" ]; then outputs >>"$GITHUB_OUTPUT"; fi

[ "$code" -ne 0 ] && exit "$code"
exit "$verdict"
