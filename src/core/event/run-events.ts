// Describes the events that `cct run` writes around a stream.
import { mapOf, maybeNumber, maybeText, means, object, oneOf, orNull, text, texts } from '../record/describe.js';

export const runEvents = {
  'run:started': means(
    object({
      ci: means(maybeText, 'CI service, such as github-actions; null if it did not run in CI'),
      workflow: means(maybeText, 'name of the workflow, pipeline or job'),
      run_id: means(maybeText, 'run id of the CI service'),
      commit: means(maybeText, 'commit it worked on'),
      pull_request: means(maybeText, 'number of the pull or merge request'),
      traceparent: means(maybeText, 'trace it is part of, as in W3C Trace Context'),
      labels: means(mapOf(text), 'labels of --label'),
      command: means(texts, 'the program and its flags, without the prompt'),
    }),
    'cct run started a command; the first line of a --keep file',
  ),
  'run:stopped': means(
    object({
      reason: means(
        oneOf(['budget', 'idle', 'reader_left', 'signal']),
        'a limit was passed, nothing came, nobody read the output any more, or cct was sent a signal',
      ),
      limit: means(maybeNumber, 'the limit of --max-usd, --max-tokens or --idle-timeout'),
      unit: means(orNull(oneOf(['usd', 'tokens', 'seconds'])), 'what limit and spent count'),
      spent: means(maybeNumber, 'how much of it is known to be spent; null if a model has no price'),
      signal: means(maybeText, 'the signal that was passed on, such as SIGTERM'),
      ended: means(texts, 'names of the processes that the command left behind and cct ended'),
    }),
    'cct run ended the command; the last line of its output and of a --keep file',
  ),
};
