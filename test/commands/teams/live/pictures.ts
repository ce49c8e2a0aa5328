import { createActivity, type TeamPicture, teamPictures } from '../../../../src/commands/teams/picture.js';
import { teamRowsOf } from '../../../../src/commands/teams/rows.js';
import { createParser, initialState, reduce } from '../../../../src/lib.js';
import { textOf } from '../../../lib/read-fixture.js';

/** The teams after the first lines of a session, or after all of it. */
export function picturesAfter(session: string, lines?: number): TeamPicture[] {
  const text = textOf(session).split('\n').slice(0, lines).join('\n');
  return picturesOf(text, lines === undefined);
}

export function picturesOf(text: string, ended = false): TeamPicture[] {
  const parser = createParser();
  const activity = createActivity();
  let state = initialState;
  for (const event of [...parser.push(text), ...parser.end()]) {
    const before = state;
    state = reduce(before, event);
    activity.note({ event, before, after: state });
  }
  return teamPictures(teamRowsOf(state, { ended }), state, activity);
}
