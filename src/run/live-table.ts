import type { State } from '../core/state/reduce.js';
import type { Output } from '../io/output.js';
import type { Context } from './command.js';
import type { DrawnFold } from './live.js';
import { drawWhile, type Picture } from './live-drawing.js';

/** A fold whose table is drawn anew while the input goes on. */
export function drawTable(context: Context, { name, print, fold }: DrawnFold): Promise<State> {
  return drawWhile(context, (show) => fold((state) => show(pictureOf(name, (out) => print(state, out)))));
}

function pictureOf(name: string, print: (out: Output) => void): Picture {
  return ({ height }) => {
    const text = written(print);
    if (text === '') return [`no ${name} yet`];
    return shortened([`${name} so far`, ...text.replace(/\n$/, '').split('\n')], height);
  };
}

function written(print: (out: Output) => void): string {
  let text = '';
  print({
    write(more) {
      text += more;
    },
    async send() {},
    async finish() {},
    flush() {},
    closed: false,
    problem: null,
  });
  return text;
}

/** The middle goes: a table begins with its head and ends with its total. */
function shortened(lines: readonly string[], height: number): readonly string[] {
  if (lines.length <= height) return lines;
  const above = Math.max(0, height - 1 - keptBelow);
  const below = Math.min(keptBelow, Math.max(0, height - 1));
  const left = lines.length - above - below;
  return [...lines.slice(0, above), `… ${left} more`, ...lines.slice(lines.length - below)];
}

const keptBelow = 2;
