import {
  createActivity,
  sessionPicture,
  type TeamPicture,
  teamPictures,
} from '../../../../src/commands/teams/picture.js';
import { teamRowsOf } from '../../../../src/commands/teams/rows.js';
import { newState, reduceAll, reduceRows } from '../../../../src/core/tables/reduce.js';
import { createParser } from '../../../../src/lib.js';
import { textOf } from '../../../lib/read-fixture.js';

/** The teams after the first lines of a session, or after all of it. */
export function picturesAfter(session: string, lines?: number): TeamPicture[] {
  const text = textOf(session).split('\n').slice(0, lines).join('\n');
  return picturesOf(text, lines === undefined);
}

/** `everyMs`: as a live view shows them, if records came this many milliseconds apart. */
export function picturesOf(text: string, ended = false, everyMs?: number): TeamPicture[] {
  const parser = createParser();
  const activity = createActivity(everyMs === undefined ? null : (_, { line }) => everyMs * (line ?? 0));
  const state = reduceAll([...parser.push(text), ...parser.end()], reduceRows, newState(), activity);
  const rows = teamRowsOf(state, { ended });
  if (rows.length === 0) return sessionPicture(state, activity, { ended, isWanted: () => true });
  return teamPictures(rows, state, activity);
}
