import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { cct, rows } from '../../run.js';

const fields = 'name,status,agent_id,agent_type,parent,tool_calls,error';

// A stream and what its run left on disk tell one story, alone and together, in any order.
test.each([
  ['workflow-2.1.326', ['main finished', 'apples finished', 'pears failed', 'sum finished']],
  ['agent-api-error-2.1.326', ['main finished', 'bad failed', 'good finished']],
  ['agents-out-of-turns-2.1.328', ['main finished', 'Be front failed', 'Be back failed', 'Be refused failed']],
  ['nested-2.1.326', ['main finished', 'planner-1 finished', 'counter-1 finished', 'Count bytes finished']],
])('%s', async (story, ends) => {
  const [stream, files] = [`fixtures/sessions/${story}.ndjson`, `fixtures/files/${story}`];
  const membersOf = (...inputs: string[]) => rows(['teams', '--members', '--fields', fields, ...inputs]);
  const members = await membersOf(stream);
  expect(members.map(({ name, status }) => `${name} ${status}`)).toEqual(ends);
  expect(await membersOf(files)).toEqual(members);
  expect(await membersOf(files, stream)).toEqual(members);
  expect(await membersOf(stream, files)).toEqual(members);
});

test('an agent that never answered has the model that its call says it got, not the family it asked for', async () => {
  const [stream, files] = [
    'fixtures/sessions/agents-out-of-turns-2.1.328.ndjson',
    'fixtures/files/agents-out-of-turns-2.1.328',
  ];
  for (const inputs of [[stream], [files], [stream, files], [files, stream]]) {
    const members = await rows(['teams', '--members', ...inputs]);
    expect(members.find(({ name }) => name === 'Be refused')).toMatchObject({ model: 'claude-sonnet-5-5' });
  }
});

test.each(['fixtures/sessions/workflow-2.1.326.ndjson', 'fixtures/files/workflow-2.1.326'])(
  'a workflow is one task: %s',
  async (input) => {
    const tasks = await rows(['tasks', '--all', '--fields', 'kind,subject,status,owner,created_at', input]);
    expect(tasks).toEqual([
      {
        kind: 'background',
        subject: 'Counts things',
        status: 'completed',
        owner: 'main',
        created_at: '2026-11-17T20:41:52.882Z',
      },
    ]);
  },
);

test('a terminal says when an active team was last seen', async () => {
  const input = 'fixtures/files/order';
  const shown = await cct(['teams', '--members', input], '', { tty: true, columns: 120 });
  const piped = await cct(['teams', '--members', '-f', 'table', input]);
  expect(stripVTControlCharacters(shown.stdout)).toMatch(/active · seen \d+d ago ·/);
  expect(piped.stdout).not.toContain(' ago');
});
