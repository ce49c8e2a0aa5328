// Draws the teams on a terminal while they work.

import type { Context } from '../../cli/command.js';
import { isChosen } from '../../cli/flags/choice.js';
import { flagOf, textOf } from '../../cli/flags/flags.js';
import { foldInput } from '../../cli/fold.js';
import { lookOf, openLiveView, type Size, screenSize } from '../../cli/live-drawing.js';
import type { ChosenRows } from '../../cli/rows.js';
import { memoizeLast } from '../../core/tables/order.js';
import { type State, settle, versionOfState } from '../../core/tables/reduce.js';
import { teamFrame } from './cards.js';
import { createActivity, sessionPicture, teamPictures } from './picture.js';
import type { TeamRow } from './row.js';

/** Leaves the last picture on the screen, and returns what `choose` selects at the end. */
export async function liveTeams(
  context: Context,
  choose: (state: State, ended: boolean) => ChosenRows<TeamRow>,
  moving: boolean,
): Promise<ChosenRows<TeamRow>> {
  const { out, streams, diagnostics, input, options } = context;
  const { stdout, stderr, clock } = streams;
  const style = await lookOf(context);
  const view = moving ? await openLiveView(context) : null;
  const elapsed = view?.elapsed ?? null;
  // Records of followed files may be old when they are read. A stream is read as it is written, or played back.
  const follows = flagOf(options, 'follow');
  const age = (time: string | null) => (time === null ? null : Math.max(0, clock.date() - Date.parse(time)));
  const activity = createActivity(
    elapsed &&
      ((time) => {
        const lag = follows ? age(time) : 0;
        return lag === null ? null : elapsed() - lag;
      }),
  );
  // A session without agents has no team, and so no team name and no creation time to filter by.
  const isFiltered = ['team', 'since', 'until'].some((name) => textOf(options, name) !== null);
  const isSessionWanted = (session_id: string) => !isFiltered && input.session.includes(session_id);
  // While nothing comes, only the clock changes.
  const make = memoizeLast((state: State, _version: number, ended: boolean, _noted: number) => {
    const chosen = choose(state, ended);
    const { rows } = chosen;
    const pictures =
      rows.length > 0
        ? teamPictures(rows, state, activity)
        : sessionPicture(state, activity, { ended, isWanted: isSessionWanted });
    return { chosen, pictures };
  });
  const picturesOf = (state: State, ended: boolean) => make(state, versionOfState(state), ended, activity.noted);
  /** The file that is followed may be of a run that ended long ago. */
  const isPast = (state: State) =>
    follows &&
    settle(state)
      .teams.sessions.values()
      .every(({ inTurn, last_at }) => !inTurn && (age(last_at) ?? 0) > pastMs);
  const frame = (state: State, size: Size, ended: boolean) => {
    const time = view !== null && elapsed !== null && { time: { now: elapsed(), silenceLimit: view.silenceLimit } };
    const look = { ...style, ...size, ...time };
    return teamFrame(picturesOf(state, ended || isPast(state)).pictures, look, { whole: ended });
  };
  const picture = (state: State, size: Size) => {
    const lines = frame(state, size, false);
    return lines.length > 0 || view === null ? lines : [view.nothingYet('teams', size.width)];
  };
  let last = { noted: 0, read: 0 };
  const heed = () => {
    const read = input.seen.records;
    const isPartial = activity.noted === last.noted && read > last.read;
    if (isPartial && elapsed !== null && !follows) activity.partial(elapsed());
    last = { noted: activity.noted, read };
  };
  const state = await (view === null
    ? foldInput(context, { watcher: activity })
    : view.drawWhile((show) =>
        foldInput(context, {
          watcher: activity,
          onChunk(now) {
            heed();
            show((size) => picture(now(), size));
          },
        }),
      ));
  const { chosen, pictures } = picturesOf(state, true);
  if (pictures.length === 0 && stderr.isTTY && !isChosen(options)) diagnostics.warn('no teams');
  const size = { ...screenSize(stdout), ...(stdout.rows === undefined && { height: Number.POSITIVE_INFINITY }) };
  out.write(
    frame(state, size, true)
      .map((line) => `${style.shown(line)}\n`)
      .join(''),
  );
  if (view !== null) out.write(view.ending());
  return chosen;
}

/** Agents in the background may go on for a while after a result. */
const pastMs = 60_000;
