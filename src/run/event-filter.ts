import type { Event } from '../core/event/event.js';
import type { Options } from './command.js';
import { textOf } from './options.js';

/** --session and --team, for commands that handle events one by one. */
export function eventFilter(options: Options): (event: Event) => boolean {
  const session = textOf(options, 'session');
  const team = textOf(options, 'team');
  return (event) => (session === null || event.session_id === session) && (team === null || event.team === team);
}
