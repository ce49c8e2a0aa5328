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

# Cut at spaces, but * is no pattern of file names.
set -f
# shellcheck disable=SC2206
more=(${CLAUDE_ARGS:-})
set +f

# What the run prints may look like a command to the runner. Only who knows the word can end this.
word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
[ -n "${GITHUB_ACTIONS:-}" ] && echo "::stop-commands::$word"
# The prompt comes last, behind --: one that begins with - would be an option.
cct run "${guard[@]}" -- claude -p "${flags[@]}" ${more[@]+"${more[@]}"} -- "${PROMPT:-}" </dev/null >/dev/null
code=$?
[ -n "${GITHUB_ACTIONS:-}" ] && echo "::$word::"
verdict=0
cct usage -q -e "$stream" >/dev/null || verdict=$?

# Says only what cct makes of the stream, never what the run printed. A Markdown cell of cct is a text, whatever it says.
outcome() {
  local why
  why=$(cct audit -q --of run -f md --fields rule,detail "$stream" | sed -n 's/^| run\\_failed | \(.*\) |$/\1/p' | tail -1)
  case $why in
  stopped*) echo "### S${why#s}" ;;
  failed*) echo "### F${why#f} (exit code $code)" ;;
  *)
    case $code:$verdict:$(cct usage -q --by session -f tsv --fields outcome "$stream" | tail -n +2 | tail -1) in
    0:0:*) echo '### Succeeded' ;;
    3:*) echo '### Failed: a budget was passed (exit code 3)' ;;
    *:finished) echo "### Failed: after a good result (exit code $code)" ;;
    *) echo "### Failed: it ended without a result (exit code $code)" ;;
    esac
    ;;
  esac
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
