import fc from 'fast-check';
import type { TaskRow } from '../../../src/commands/tasks/rows.js';
import { hostileText } from '../../view/hostile.js';

export function task(id: string, more: Partial<TaskRow> = {}): TaskRow {
  return {
    kind: 'board',
    team: 'crew',
    session_id: null,
    id,
    subject: `task ${id}`,
    description: null,
    active_form: null,
    status: 'pending',
    owner: null,
    blocked_by: [],
    blocks: [],
    ready: false,
    created_at: null,
    updated_at: null,
    started_at: null,
    completed_at: null,
    duration_ms: null,
    metadata: null,
    ...more,
  };
}

const text = fc.option(hostileText, { nil: null });
const status = fc.oneof(fc.constantFrom('pending', 'in_progress', 'completed', 'deleted', 'failed', null), hostileText);

export const hostileTask: fc.Arbitrary<TaskRow> = fc
  .record({
    kind: fc.constantFrom('board', 'todo', 'background'),
    team: text,
    session_id: text,
    subject: text,
    owner: text,
    status,
    blocked_by: fc.array(hostileText, { maxLength: 3 }),
    blocks: fc.array(hostileText, { maxLength: 3 }),
    ready: fc.boolean(),
  })
  .chain((more) => hostileText.map((id) => task(id, more)));
