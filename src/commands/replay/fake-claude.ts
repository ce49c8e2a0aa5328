// Plays the part of claude: plays a recording and answers the host on stdin.
import type { Context, Verdict } from '../../cli/command.js';
import { numberOf } from '../../cli/flags/flags.js';
import { lineReader, openIndex, type ReadOptions, type ReadResult } from '../../cli/lines.js';
import { jsonTextFor } from '../../cli/print.js';
import type { Event } from '../../core/event/event.js';
import { isObject, type JsonObject } from '../../core/record/json.js';
import {
  answerTo,
  type HostWord,
  interruptedResult,
  type RecordedAnswers,
  readAnswer,
  readHostLine,
} from '../../core/wire/recorded.js';
import { UsageError } from '../../io/exit.js';
import type { Output } from '../../io/output.js';
import { type ByteSource, sourcesFrom } from '../../io/sources.js';
import { sanitize } from '../../view/text.js';
import {
  copyStage,
  followWith,
  play,
  playingOf,
  type RawLine,
  type Stage,
  safeText,
  tempoOf,
  textOfLine,
} from './play.js';
import type { Spot, Tempo } from './timing.js';

export async function replayAsClaude(context: Context, recording: string): Promise<Verdict> {
  const { options, out, streams, rest, signal } = context;
  const flags = claudeFlags(rest);
  if (flags.conversing && recording === '-')
    throw new UsageError('--as-claude: the recording must be a file, because stdin is for prompts');
  // Tests should not wait unless they ask for it.
  const isPaced = ['speed', 'interval', 'maxGap'].some((name) => numberOf(options, name) !== null);
  const tempo = isPaced ? tempoOf(context) : null;
  const sources = sourcesFrom([recording], streams.stdin);
  let host: Host | null = null;
  const claude = createFakeClaude(context, flags, tempo, () => host);
  if (flags.conversing) {
    // A host sends requests before its first prompt, so the recorded answers are read before the first line is played.
    const opened = await sources[0]?.open();
    const recorded = opened?.ok ? await recordedAnswers(opened.bytes, context) : {};
    const stdin = streams.stdin.open();
    const toText = jsonTextFor(streams.stdout.isTTY);
    if (stdin.ok) host = listenTo(stdin.bytes, { out, toText, signal, recorded, onInterrupt: claude.interrupt });
  }
  const played = await play(playingOf({ ...context, sources }, tempo), claude);
  claude.end();
  await out.flush();
  await host?.left;
  return { rows: played.lines, recorded: claude.failed === false ? 'well' : 'badly' };
}

/** Plays the lines of a recording, and ends as the recording ended. */
interface FakeClaude extends Stage {
  /** Ends the turn that is being played. */
  interrupt(): void;
  /** Writes output that comes only at the end. */
  end(): void;
  /** How the last turn ended; null without a result. */
  readonly failed: boolean | null;
}

function createFakeClaude(
  context: Context,
  flags: ClaudeFlags,
  tempo: Tempo | null,
  host: () => Host | null,
): FakeClaude {
  const { input, out, streams, privacy } = context;
  const { isTTY } = streams.stdout;
  const copy = copyStage(context);
  const toText = jsonTextFor(isTTY);
  const lines: string[] = [];
  let results = 0;
  let result: { record: JsonObject; failed: boolean; text: string | null } | null = null;
  /** After an interrupt the rest of the turn is left out, except its recorded end if it was interrupted too. */
  let turn: 'none' | 'playing' | 'interrupted' | 'ending' = 'none';
  const follow = followWith(input.open(hear, { raw: true }));

  function hear(event: Event): void {
    if (event.event !== 'session:ended') return;
    results += 1;
    const { is_error, subtype, result: said } = event;
    const text = said ?? (subtype === 'success' ? null : subtype);
    result = { record: recordOf(event), failed: is_error === true, text };
  }

  /** A turn begins when the host asks for it, and ends with its result. */
  async function converse(line: RawLine, spot: Spot, from: Host): Promise<void> {
    const answer = line.tooLong ? null : readAnswer(textOfLine(line));
    const before = results;
    follow.pass(line);
    const hasEnded = results > before;
    if (answer !== null) {
      // This answered the host of the recording. The requests of the present host are answered when they come.
      if (answer.subtype === 'interrupt' && turn === 'interrupted') turn = 'ending';
      if (turn === 'none') tempo?.restart();
      return;
    }
    if (turn === 'none') {
      await flush();
      await from.prompt();
      turn = 'playing';
      // The turn begins now, however long the prompt took.
      tempo?.restart();
      tempo?.dueIn(spot.at, false);
    }
    if (turn !== 'interrupted') await copy.line(line, spot);
    else if (hasEnded && result !== null) {
      out.write(`${toText(interruptedResult(result.record))}\n`);
      result = { ...result, failed: true };
    }
    if (!hasEnded) return;
    turn = 'none';
    tempo?.restart();
  }

  async function flush(): Promise<void> {
    await copy.flush();
    await out.flush();
  }

  return {
    begin: follow.begin,
    line(line, spot) {
      const from = host();
      if (from !== null) return converse(line, spot, from);
      follow.pass(line);
      if (flags.output === 'stream-json') return copy.line(line, spot);
      if (flags.output !== 'json' || !flags.verbose) return;
      const text = privacy === null ? textOfLine(line) : safeText(line, privacy);
      if (text !== null) lines.push(text.trim());
    },
    flush,
    endSource: follow.endSource,
    interrupt() {
      if (turn !== 'playing') return;
      turn = 'interrupted';
      tempo?.rush();
    },
    end() {
      const { output, verbose } = flags;
      if (output === 'text') {
        const text = result?.text?.replace(/\n?$/, '\n') ?? '';
        out.write(isTTY ? text.split('\n').map(sanitize).join('\n') : text);
      } else if (output === 'json' && verbose) out.write(`${toText(arrayOf(lines))}\n`);
      else if (output === 'json' && result !== null) out.write(`${toText(JSON.stringify(result.record))}\n`);
    },
    get failed() {
      return result?.failed ?? null;
    },
  };
}

function recordOf(event: object): JsonObject {
  return 'raw' in event && isObject(event.raw) ? event.raw : {};
}

/** A recording of --output-format json is already an array. */
function arrayOf(lines: readonly string[]): string {
  const [first = ''] = lines;
  return first.startsWith('[') ? lines.join('\n') : `[${lines.filter((line) => line.startsWith('{')).join(',')}]`;
}

/** The program that talks to the fake claude through its stdin. */
interface Host {
  /** Resolves with the next prompt, or when no more prompts can come. */
  prompt(): Promise<void>;
  /** stdin has ended. */
  readonly left: Promise<void>;
}

interface HostOptions {
  readonly out: Output;
  readonly toText: (json: string) => string;
  readonly signal: AbortSignal;
  readonly recorded: RecordedAnswers;
  onInterrupt(): void;
}

/** Reads what the host writes, answers its requests, and counts its prompts. */
function listenTo(stdin: ByteSource, { out, toText, signal, recorded, onInterrupt }: HostOptions): Host {
  let prompts = 0;
  let isOver = false;
  let wake = () => {};
  const hear = (word: HostWord | null) => {
    if (word?.kind === 'prompt') {
      prompts += 1;
      wake();
    }
    if (word?.kind !== 'request') return;
    out.write(`${toText(answerTo(word.id, word.subtype, recorded))}\n`);
    if (word.subtype === 'interrupt') onInterrupt();
  };
  const reading = readTexts(stdin, (text) => hear(readHostLine(text)), { signal, chunkEnd: () => out.flush() });
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

/** The recorded answers to the requests of the original host. */
async function recordedAnswers(recording: ByteSource, { signal, privacy }: Context): Promise<RecordedAnswers> {
  let recorded: RecordedAnswers = {};
  const hear = (text: string) => {
    const safe = privacy === null ? text : privacy.line(text);
    const answer = readAnswer(typeof safe === 'string' ? safe : '');
    if (answer !== null && answer.subtype !== null) recorded = { [answer.subtype]: answer.response, ...recorded };
  };
  await readTexts(recording, hear, { signal });
  return recorded;
}

/** The flags of claude that the fake supports. It ignores all others. */
interface ClaudeFlags {
  /** Prompts and control requests come as NDJSON on stdin. */
  readonly conversing: boolean;
  readonly output: 'stream-json' | 'json' | 'text';
  readonly verbose: boolean;
}

function claudeFlags(words: readonly string[]): ClaudeFlags {
  const output = flagValue(words, '--output-format');
  return {
    conversing: flagValue(words, '--input-format') === 'stream-json',
    output: output === 'json' || output === 'text' ? output : 'stream-json',
    verbose: words.includes('--verbose'),
  };
}

/** The last one is used. */
function flagValue(words: readonly string[], flag: string): string | undefined {
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[at];
  return word === flag ? words[at + 1] : word?.slice(flag.length + 1);
}

function readTexts(source: ByteSource, onText: (text: string) => void, options: ReadOptions): Promise<ReadResult> {
  const index = openIndex({ line: (entry) => onText(index.lineText(entry)), tooLong() {} });
  return lineReader(index, options)(source);
}
