/** What the world may do to a run, and what comes of it; test/faults holds cct to it. */
export const faults: readonly (readonly [fault: string, outcome: string])[] = [
  ['the reader of the output goes away', 'reading stops, the producer is told by its pipe, and the exit code is 0'],
  ['output cannot be written', 'said on stderr with the reason, such as a full disk; 2'],
  ['a file cannot be read', 'named with the reason; the others are read; 2'],
  [
    'the producer dies',
    'what it wrote is used, a cut line is named, and one line says what is missing: results, open calls and agents; 1 with -e',
  ],
  ['the producer hangs', 'with --idle-timeout reading ends, and stderr names who and what it still waited for; 1'],
  [
    'Ctrl-C',
    'in a pipe the first is for the producer, whose last words are read; the second, or one without a pipe, is 130',
  ],
  ['SIGTERM, SIGHUP', 'the end, at once; a state is as it was saved last'],
  ['--state cannot be saved', 'the rows are written, the old state stays as it was, and stderr says why; 2'],
  ['two processes with one --state', 'the first to save wins; the other is told, and leaves the file alone; 2'],
  ['the clock is set back', 'the times of --stamp stand still until it is as late again'],
];
