// Shows on a terminal what is going on below the log: calls that run for longer than a second, and what is being said.
import type { Context } from '../../cli/command.js';
import { wantsPrivacy } from '../../cli/flags/flags.js';
import { isStillComing } from '../../cli/live.js';
import { openLiveView, type Picture } from '../../cli/live-drawing.js';
import { noFacts, type StoryLine } from '../../core/story/line.js';

/** null for a recording: nothing goes on in it. */
export async function openLiveLog(context: Context, draw: (line: StoryLine) => string) {
  const { out, streams, input, options } = context;
  if (!isStillComing(context)) return null;
  const { clock } = streams;
  const view = await openLiveView(context, 'below');
  let show: (picture: Picture | null) => void = () => {};
  let isShown = true;
  /** When each open call was first seen. */
  let since = new Map<string, number>();
  let running: readonly StoryLine[] = [];
  const said = new Map<string, Said>();
  // Nothing was taken out of it for privacy yet.
  if (!wantsPrivacy(options))
    input.onDelta(({ session_id, agent, text }) => {
      const key = `${session_id} ${agent}`;
      const known = said.get(key) ?? { session_id, agent, text: '' };
      known.text = text === '' ? '' : `${known.text}${text}`.slice(-longestSaid);
      said.set(key, known);
    });

  const picture: Picture = ({ width, height }) => {
    const now = clock.now();
    const calls = running.flatMap((line) => {
      if (line.status !== 'open') return [line];
      const ms = now - (since.get(line.tool_use_id ?? '') ?? now);
      return ms < quietMs ? [] : [{ ...line, status: 'running', facts: { ms } }];
    });
    const words = [...said.values()].filter(({ text }) => text.trim() !== '').map(spoken);
    const count = running.filter(({ status }) => status === 'open').length;
    const open = count === 0 ? 'running' : count === 1 ? '1 open call' : `${count} open calls`;
    const shown = [...calls, ...words].map((line) => draw(line).replace(/\n[\s\S]*$/, ''));
    return [...shown, view.headline(open, width)].slice(-height);
  };
  return {
    /** Writes lines that stay. */
    write(text: string): void {
      if (isShown) show(null);
      isShown = false;
      said.clear();
      out.write(text);
    },
    /** After each chunk: what is open now. */
    open(lines: readonly StoryLine[]): void {
      const now = clock.now();
      since = new Map(lines.map(({ tool_use_id }) => [tool_use_id ?? '', since.get(tool_use_id ?? '') ?? now]));
      running = lines;
      // What stays has to be above.
      void out.flush();
      isShown = true;
      show(picture);
    },
    async while(reading: () => Promise<unknown>): Promise<void> {
      await view.drawWhile((to) => {
        show = to;
        return reading();
      });
      show = () => {};
    },
  };
}

/** What an agent is saying, as far as it has come. */
interface Said {
  readonly session_id: string | null;
  readonly agent: string | null;
  text: string;
}

/** The last words of it, as a line. */
function spoken({ session_id, agent, text }: Said): StoryLine {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  return {
    ...{ time: null, session_id, team: null, agent, line: null, name: agent === null ? 'main' : '…', color: null },
    ...{ kind: 'text', status: null, bad: false, tool: null, target: null, tool_use_id: null, left: 0 },
    text: last.length > shownSaid ? `…${last.slice(-shownSaid)}` : last,
    ...{ facts: noFacts, parts: [], cwd: null, folded: null },
  };
}

/** Shorter calls come and go unseen. */
const quietMs = 1000;
const longestSaid = 10_000;
/** So much fits into a line of any terminal, and its end is what is new. */
const shownSaid = 50;
