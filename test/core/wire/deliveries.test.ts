import { describe, expect, test } from 'vitest';
import { createNormalizer } from '../../../src/core/wire/normalize.js';
import { placeOf } from '../../../src/core/wire/sessions.js';
import { ParsedRecord } from '../../../src/core/wire/view.js';
import type { Event } from '../../../src/lib.js';
import type { JsonObject } from '../../json.js';

const request = 'plan_approval-1@carer@crew';
const byProgram = {
  type: 'plan_approval_response',
  requestId: request,
  approved: true,
  permissionMode: 'default',
  timestamp: '2026-11-16T12:03:17.420Z',
};
const byModel = {
  type: 'plan_approval_response',
  requestId: request,
  approved: false,
  feedback: 'Add a test.',
  timestamp: '2026-11-16T12:03:18.566Z',
};
const entry = (body: { timestamp: string }) => ({
  from: 'team-lead',
  text: JSON.stringify(body),
  timestamp: body.timestamp,
  read: true,
});
const envelope = (body: object, timestamp: string) => ({
  type: 'user',
  isSidechain: true,
  agentId: 'a1',
  parentUuid: 'p',
  sessionId: 's1',
  uuid: timestamp,
  timestamp,
  message: { content: `<teammate-message teammate_id="team-lead">\n${JSON.stringify(body)}\n</teammate-message>` },
});

/** The program of an interactive lead approves a plan by itself; the model, asked later, refuses what has begun. */
describe('a plan that was answered twice', () => {
  const answers = [
    ['2026-11-16T12:03:17.420Z', true, null, null],
    ['2026-11-16T12:03:18.566Z', false, 'Add a test.', null],
  ];

  test('in an inbox: both answers, each with its time', () => {
    expect(resolved('teams/crew/inboxes/carer.json', [entry(byProgram), entry(byModel)])).toEqual(answers);
  });

  test('in a conversation: both, with the times they were written and not those they came', () => {
    const rows = [envelope(byProgram, '2026-11-16T12:03:17.900Z'), envelope(byModel, '2026-11-16T12:03:19.100Z')];
    expect(resolved('s1/subagents/agent-a1.jsonl', rows)).toEqual(answers);
  });

  test('the one that the model gave is known by its call', () => {
    const message = { type: 'plan_approval_response', request_id: request, approve: false, feedback: 'Add a test.' };
    const call = {
      type: 'assistant',
      sessionId: 's1',
      uuid: 'c',
      timestamp: '2026-11-16T12:03:18.550Z',
      message: { content: [{ type: 'tool_use', id: 't1', name: 'SendMessage', input: { to: 'carer', message } }] },
    };
    const result = {
      type: 'user',
      sessionId: 's1',
      uuid: 'r',
      timestamp: '2026-11-16T12:03:18.568Z',
      message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'Plan rejected for carer' }] },
      toolUseResult: { success: true, request_id: request },
    };
    expect(resolved('s1.jsonl', [call, result])).toEqual([['2026-11-16T12:03:18.568Z', false, 'Add a test.', 't1']]);
  });
});

function resolved(path: string, records: JsonObject[]): unknown[][] {
  const events: Event[] = [];
  const normalizer = createNormalizer({ emit: (event) => events.push(event) });
  normalizer.begin(placeOf(path));
  for (const [index, record] of records.entries()) normalizer.record(new ParsedRecord(record), index + 1, null);
  return events.flatMap((event) =>
    event.event === 'team:plan:resolved' ? [[event.time, event.approved, event.feedback, event.tool_use_id]] : [],
  );
}
