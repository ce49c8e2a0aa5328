import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type Event,
  type EventMap,
  isTeamMember,
  isTeamMessage,
  isTeamState,
  isTeamStateChange,
  isTeamTask,
  isTeamTaskUpdate,
} from '../../src/lib.js';
import { eventsOf } from '../lib/read-fixture.js';

const member = { name: 'writer', agentId: 'writer@crew', agentType: 'general-purpose', status: 'active' };
const task = { id: '1', subject: 'Write', status: 'pending', blockedBy: [], blocks: ['2'] };
const team = { name: 'crew', role: 'lead', members: [member], tasks: [task] };

describe('members', () => {
  test.each<[unknown, boolean]>([
    [member, true],
    [{ ...member, model: 'haiku', color: 'green', more: 1 }, true],
    [{ ...member, status: 'shutting_down' }, false],
    [{ ...member, agentId: undefined }, false],
    [{ ...member, model: null }, false],
    [null, false],
    ['writer', false],
  ])('%j: %s', (value, is) => expect(isTeamMember(value)).toBe(is));
});

describe('tasks', () => {
  test.each<[unknown, boolean]>([
    [task, true],
    [{ ...task, owner: 'writer', description: 'All of it', activeForm: 'Writing' }, true],
    [{ ...task, status: 'deleted' }, true],
    [{ ...task, status: 'blocked' }, false],
    [{ ...task, id: 1 }, false],
    [{ ...task, blocks: [2] }, false],
    [{ ...task, blockedBy: undefined }, false],
    [[], false],
  ])('%j: %s', (value, is) => expect(isTeamTask(value)).toBe(is));
});

describe('states', () => {
  test.each<[unknown, boolean]>([
    [team, true],
    [{ ...team, members: [], tasks: [] }, true],
    [{ ...team, role: 'boss' }, false],
    [{ ...team, members: [{ ...member, name: 1 }] }, false],
    [{ ...team, tasks: undefined }, false],
    [undefined, false],
  ])('%j: %s', (value, is) => expect(isTeamState(value)).toBe(is));
});

describe('categories, of messages by type and of events by category', () => {
  test.each<[unknown, 'message' | 'task' | 'state' | null]>([
    [{ type: 'team_message' }, 'message'],
    [{ type: 'team_task_update' }, 'task'],
    [{ type: 'team_state_change' }, 'state'],
    [{ event: 'team:message:sent', category: 'team_message' }, 'message'],
    [{ event: 'team:task:created', category: 'team_task_update' }, 'task'],
    [{ event: 'team:created', category: 'team_state_change' }, 'state'],
    [{ type: 'assistant' }, null],
    [{}, null],
    [null, null],
    ['team_message', null],
  ])('%j: %s', (value, is) => {
    expect([isTeamMessage(value), isTeamTaskUpdate(value), isTeamStateChange(value)]).toEqual([
      is === 'message',
      is === 'task',
      is === 'state',
    ]);
  });

  test('narrow our events', () => {
    const only = (event: Event) => (isTeamTaskUpdate(event) ? event : null);
    expectTypeOf(only).returns.toEqualTypeOf<EventMap[Extract<keyof EventMap, `team:task:${string}`>] | null>();
    const kept = eventsOf('team-2.1.140.ndjson').flatMap((event) => only(event)?.event ?? []);
    expect([...new Set(kept)].sort()).toEqual(['team:task:claimed', 'team:task:created', 'team:task:updated']);
  });
});
