import { idOf, textOf, timeOf } from '../record/fields.js';
import type { At, Desk } from './desk.js';

/** Spawn tracker records: a pending spawn, then the session state that carries its id. */
export function spawn(desk: Desk, at: At): void {
  const { record } = at;
  const spawn_id = idOf(record.spawn_id);
  const when = { ...at, time: timeOf(record.timestamp) ?? at.time };
  if (typeof record.project_path === 'string' && record.session_id === undefined) {
    return desk.emit({ ...when, agent: null }, 'spawn:requested', {
      spawn_id,
      project_path: record.project_path,
      agent_type: textOf(record.agent_type),
    });
  }
  desk.emit({ ...when, agent: textOf(record.agent) }, 'spawn:linked', {
    spawn_id,
    project: textOf(record.project),
    zellij_session: textOf(record.zellij_session),
    zellij_pane: idOf(record.zellij_pane),
  });
}
