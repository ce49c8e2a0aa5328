// Selects the rows or events of one session and one team.
import type { Place } from '../core/state/order.js';

/** null selects all. */
export function placeFilter(session: string | null, team: string | null): (place: Place) => boolean {
  return (place) => (session === null || place.session_id === session) && (team === null || place.team === team);
}
