// Draws the teams on a terminal while they work.
import { isChosen } from '../../cli/choice.js';
import type { Context } from '../../cli/command.js';
import { type ChosenRows, foldInput } from '../../cli/fold.js';
import { drawWhile, type Picture, type Size, sizeOf } from '../../cli/live-drawing.js';
import { paintOf } from '../../cli/print.js';
import { hasUnicode } from '../../io/streams.js';
import { asciiGlyphs, unicodeGlyphs } from '../../view/glyphs.js';
import type { State } from '../reduce.js';
import { teamFrame } from './cards.js';
import { createActivity, teamPictures } from './picture.js';
import type { TeamRow } from './row.js';

/** Leaves the last picture on the screen, and returns what `choose` selects at the end. */
export async function liveTeams(
  context: Context,
  choose: (state: State, ended: boolean) => ChosenRows<TeamRow>,
  moving: boolean,
): Promise<ChosenRows<TeamRow>> {
  const { out, streams, diagnostics } = context;
  const { stdout, stderr, env } = streams;
  const paint = await paintOf(context);
  const glyphs = hasUnicode(env) ? unicodeGlyphs : asciiGlyphs;
  const activity = createActivity();
  const fold = (show?: (picture: Picture) => void) =>
    foldInput(context, show && ((now) => show((size) => picture(now, size))), activity.note);
  const picture = (state: State, size: Size) => {
    const { rows } = choose(state, false);
    if (rows.length === 0) return [paint.dim('no teams yet')];
    return teamFrame(teamPictures(rows, state, activity), { ...size, paint, glyphs });
  };
  const state = await (moving ? drawWhile(context, fold) : fold());
  const chosen = choose(state, true);
  const { rows } = chosen;
  if (rows.length === 0 && stderr.isTTY && !isChosen(context.options)) diagnostics.warn('no teams');
  const size = { ...sizeOf(stdout), ...(stdout.rows === undefined && { height: Number.POSITIVE_INFINITY }) };
  const last = teamFrame(teamPictures(rows, state, activity), { ...size, paint, glyphs }, { whole: true });
  out.write(last.map((line) => `${line}\n`).join(''));
  return chosen;
}
