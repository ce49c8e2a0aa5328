import { idOf, objectOf, textOf } from '../record/fields.js';
import type { At, Desk } from './desk.js';
import { fieldsOf } from './free-fields.js';
import { hook } from './hooks.js';

/** control_request, control_response, control_cancel_request: paired by request_id. */
export function control(desk: Desk, at: At, type: string): void {
  const { record } = at;
  const request = objectOf(record.request) ?? {};
  const response = objectOf(record.response) ?? {};
  const id = idOf(record.request_id) ?? idOf(response.request_id);
  if (type === 'control_request') {
    const subtype = textOf(request.subtype);
    if (id !== null && !desk.seen.add(`${type} ${id}`)) return;
    if (id !== null) desk.controls.set(id, subtype ?? '');
    const { type: _type, subtype: _subtype, ...fields } = fieldsOf(request);
    const own = { request_id: id, subtype, error: null };
    desk.emit(desk.within(at, { agent_id: request.agent_id }), 'control:requested', { ...own, ...fields, ...own });
    const input = objectOf(request.input);
    if (subtype === 'hook_callback' && typeof input?.hook_event_name === 'string') hook(desk, desk.within(at, input));
    return;
  }
  if (id !== null && !desk.seen.add(`${type} ${id}`)) return;
  const subtype = desk.controls.get(id ?? '') || null;
  if (id !== null) desk.controls.delete(id);
  if (type === 'control_cancel_request')
    return desk.emit(at, 'control:cancelled', { request_id: id, subtype, error: null });
  desk.emit(at, 'control:responded', {
    request_id: id,
    subtype,
    error: textOf(response.error),
    success: response.subtype !== 'error',
    response: response.response ?? null,
  });
}
