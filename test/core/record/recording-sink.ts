import { createFramer, type FrameSink } from '../../../src/core/record/frame.js';

export type Call =
  | ['record', unknown, number, string | null]
  | ['damaged', number, string, number, string]
  | ['noise', number];

/** A sink that records its calls. */
export function recordingSink(): FrameSink & { calls: Call[] } {
  const calls: Call[] = [];
  return {
    calls,
    record: (record, line, log) => calls.push(['record', record, line, log?.time ?? null]),
    damaged: (line, reason, bytes, done) => calls.push(['damaged', line, reason, bytes, done]),
    noise: (line) => calls.push(['noise', line]),
  };
}

/** What a framer makes of lines, numbered from 1. */
export function frame(lines: readonly string[], mostHeld?: number): Call[] {
  const sink = recordingSink();
  const framer = createFramer(sink, mostHeld);
  lines.forEach((line, index) => {
    framer.push(line, index + 1);
  });
  framer.end();
  return sink.calls;
}

export function recordsOf(calls: readonly Call[]): unknown[] {
  return calls.filter((call) => call[0] === 'record').map((call) => call[1]);
}
