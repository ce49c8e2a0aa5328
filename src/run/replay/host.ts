import { answerTo, type HostWord, type RecordedAnswers, readAnswer, readHostLine } from '../../core/event/stand-in.js';
import { type ByteSource, readLines } from '../../io/lines.js';
import type { Output } from '../../io/output.js';

/** Whoever talks to the stand-in through its stdin. */
export interface Host {
  /** Comes back with the next prompt, or when there will be none any more. */
  prompt(): Promise<void>;
  /** stdin has ended. */
  readonly left: Promise<void>;
}

export interface HostOptions {
  readonly out: Output;
  readonly signal: AbortSignal;
  readonly recorded: RecordedAnswers;
  onInterrupt(): void;
}

/** Reads what the host says, answers its requests, and counts its prompts. */
export function listenTo(stdin: ByteSource, { out, signal, recorded, onInterrupt }: HostOptions): Host {
  let prompts = 0;
  let isOver = false;
  let wake = () => {};
  const hear = (word: HostWord | null) => {
    if (word?.kind === 'prompt') {
      prompts += 1;
      wake();
    }
    if (word?.kind !== 'request') return;
    out.write(`${answerTo(word.id, word.subtype, recorded)}\n`);
    if (word.subtype === 'interrupt') onInterrupt();
  };
  const reading = readLines(
    stdin,
    {
      line: (bytes, start, end) => hear(readHostLine(bytes.toString('utf8', start, end))),
      tooLong() {},
      chunkEnd: () => out.flush(),
    },
    { signal },
  );
  const left = reading.then(() => {
    isOver = true;
    wake();
  });
  return {
    async prompt() {
      while (prompts === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      prompts = Math.max(0, prompts - 1);
    },
    left,
  };
}

/** What the recorded run said to its host's requests. */
export async function recordedAnswers(recording: ByteSource, signal: AbortSignal): Promise<RecordedAnswers> {
  let recorded: RecordedAnswers = {};
  await readLines(
    recording,
    {
      line(bytes, start, end) {
        const answer = readAnswer(bytes.toString('utf8', start, end));
        if (answer !== null && answer.subtype !== null) recorded = { [answer.subtype]: answer.response, ...recorded };
      },
      tooLong() {},
      chunkEnd() {},
    },
    { signal },
  );
  return recorded;
}
