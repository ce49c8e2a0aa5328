import { describe, expect, test } from 'vitest';
import { findings, inShort, Story } from './finding-story.js';

describe.each<[rule: string, wrong: (story: Story) => void, right: (story: Story) => void, expected: string]>([
  [
    'a team whose name is taken',
    (story) => story.call('TeamCreate', { team_name: 'crew' }, null, { error: 'Team crew already exists' }),
    (story) => story.team('crew'),
    'duplicate_name | main | - | TeamCreate: Team crew already exists (team_already_exists)',
  ],
  [
    'a team that got another name',
    (story) => story.team('witty-otter', 'crew'),
    (story) => story.team('my-crew', 'My crew'),
    'duplicate_name | team-lead | - | asked for team crew, got witty-otter',
  ],
  [
    'an agent whose name is taken',
    (story) => {
      story.team('crew');
      const input = { name: 'writer', team_name: 'crew', prompt: 'Be.', description: 'Be' };
      story.call('Agent', input, { success: false, error: 'agent_already_exists', message: 'There is a writer' });
    },
    (story) => {
      story.team('crew');
      story.mate('writer', 'crew');
    },
    'duplicate_name | team-lead | - | Agent: There is a writer (agent_already_exists)',
  ],
  [
    'an agent that got another name',
    (story) => {
      story.team('crew');
      story.mate('writer', 'crew');
      story.mate('writer-2', 'crew', 'writer');
    },
    (story) => {
      story.team('crew');
      story.mate('writer', 'crew');
      story.mate('writer-2', 'crew');
    },
    'duplicate_name | writer-2 | - | asked for the name writer, got writer-2',
  ],
  [
    'two agents of one name',
    (story) => {
      story.agent('writer', 'a1');
      story.agent('writer', 'a2');
    },
    (story) => {
      story.finish('a1', story.agent('writer', 'a1'));
      story.agent('writer', 'a2');
    },
    'duplicate_name | writer | - | writer was spawned while there was a writer',
  ],
  [
    'a team deleted over the heads of its members',
    (story) => {
      story.team('crew');
      story.mate('writer', 'crew');
      story.call('TeamDelete', {}, { success: true, message: 'Cleaned up', team_name: 'crew' });
    },
    (story) => {
      story.team('crew');
      story.mate('writer', 'crew');
      story.ask('writer');
      story.call('TeamDelete', {}, { success: true, message: 'Cleaned up', team_name: 'crew' });
    },
    'deleted_with_active_members | team-lead | - | crew was deleted while writer had not been asked to shut down',
  ],
  [
    'a team deleted over idle members',
    (story) => {
      story.team('crew');
      story.mate('writer', 'crew');
      story.mate('reader', 'crew');
      story.hear('writer', { type: 'idle_notification', from: 'writer' });
      story.call('TeamDelete', {}, { success: true, message: 'Cleaned up', team_name: 'crew' });
    },
    (story) => {
      story.team('crew');
      story.mate('writer', 'crew');
      story.hear('writer', { type: 'idle_notification', from: 'writer' });
      story.call('TeamDelete', {}, { success: true, message: 'Cleaned up', team_name: 'crew' });
    },
    'deleted_with_active_members | team-lead | - | crew was deleted while reader had not been asked to shut down',
  ],
  [
    'a cleanup that failed',
    (story) => {
      story.team('crew');
      story.call('TeamDelete', {}, { success: false, message: 'Cannot cleanup team', team_name: 'crew' });
    },
    (story) => {
      story.team('crew');
      story.call('TeamDelete', {}, { success: true, message: 'Cleaned up', team_name: 'crew' });
    },
    'failed_call | team-lead | - | TeamDelete: Cannot cleanup team',
  ],
  [
    'a cleanup that failed, its call not in the input',
    (story) => {
      const said = { success: false, message: 'Cannot cleanup team', team_name: 'crew' };
      const block = { type: 'tool_result', tool_use_id: 'toolu_late', content: 'no' };
      story.put({ type: 'user', message: { content: [block] }, tool_use_result: said });
    },
    (story) => {
      const said = { success: true, message: 'Cleaned up', team_name: 'crew' };
      const block = { type: 'tool_result', tool_use_id: 'toolu_late', content: 'yes' };
      story.put({ type: 'user', message: { content: [block] }, tool_use_result: said });
    },
    'failed_call | main | - | cleanup: Cannot cleanup team',
  ],
  [
    'an agent that could not be spawned',
    (story) => story.call('Agent', { prompt: 'Be.' }, null, { error: "Agent type 'poet' not found" }),
    (story) => story.call('Bash', { command: 'false' }, null, { error: 'Exit code 1' }),
    "failed_call | main | - | Agent: Agent type 'poet' not found (agent_not_found)",
  ],
  [
    'a team without a name',
    (story) => story.call('TeamCreate', { description: 'work' }, null, { error: 'InputValidationError' }),
    (story) => story.team('crew'),
    'missing_field | main | - | TeamCreate without team_name: InputValidationError',
  ],
  [
    'a teammate without a name',
    (story) => story.call('Agent', { team_name: 'crew', prompt: 'Be.' }, { status: 'completed', agentId: 'a1' }),
    (story) => story.call('Agent', { prompt: 'Be.' }, { status: 'completed', agentId: 'a1' }),
    'missing_field | main | - | Agent without name',
  ],
  [
    'a team with an odd name',
    (story) => story.team('Crew 7'),
    (story) => story.team('crew-7'),
    'team_name_pattern | team-lead | - | Crew 7 has more in it than small letters, digits and hyphens',
  ],
  [
    'too many agents in a team',
    (story) => {
      story.team('crew');
      for (let at = 0; at < 51; at++) story.wait(100).mate(`m${at}`, 'crew');
    },
    (story) => {
      story.team('crew');
      for (let at = 0; at < 50; at++) story.wait(100).mate(`m${at}`, 'crew');
    },
    'many_agents |  | - | 51 agents in a team, limit 50',
  ],
  [
    'agents spawned too fast',
    (story) => {
      for (let at = 0; at < 51; at++) story.finish(`a${at}`, story.agent(`m${at}`, `a${at}`));
    },
    (story) => {
      for (let at = 0; at < 50; at++) story.finish(`a${at}`, story.agent(`m${at}`, `a${at}`));
    },
    'agent_rate | main | - | 51 agents spawned in a team within an hour, limit 50',
  ],
  [
    'teams made too fast',
    (story) => {
      for (let at = 0; at < 11; at++) story.team(`crew-${at}`);
    },
    (story) => {
      for (let at = 0; at < 11; at++) story.wait(400).team(`crew-${at}`);
    },
    'team_rate | team-lead | - | 11 teams created by a user within an hour, limit 10',
  ],
  [
    'too many teams',
    (story) => {
      for (let at = 0; at < 101; at++) story.wait(3600).team(`crew-${at}`);
    },
    (story) => {
      for (let at = 0; at < 100; at++) story.wait(3600).team(`crew-${at}`);
    },
    'many_teams | team-lead | - | 101 teams of a user, limit 100',
  ],
])('%s', (_name, wrong, right, expected) => {
  test('is a finding', () => {
    const story = new Story();
    wrong(story);
    expect(inShort(findings('teams', story.text))).toContain(expected);
  });

  test('what looks like it is none', () => {
    const story = new Story();
    right(story);
    const rule = expected.split(' | ')[0] ?? '';
    expect(inShort(findings('teams', story.text)).filter((line) => line.startsWith(rule))).toEqual([]);
  });
});

test('a thousand calls a minute are too many', () => {
  const story = new Story();
  const list = (count: number) => {
    for (let at = 0; at < count; at++) story.wait(-0.99).call('TaskList', {}, { tasks: [] });
  };
  list(1000);
  expect(findings('teams', story.text)).toEqual([]);
  list(1);
  expect(inShort(findings('teams', story.text))).toEqual([
    'call_rate | main | - | 1001 calls of team tools by a user within a minute, limit 1000',
  ]);
});

test('a team that was deleted and made again was not deleted with the members it has now', () => {
  const story = new Story();
  for (let round = 0; round < 2; round++) {
    story.team('crew');
    story.mate('writer', 'crew');
    story.ask('writer', `shutdown-${round}@writer`);
    if (round === 0) story.call('TeamDelete', {}, { success: true, message: 'Cleaned up', team_name: 'crew' });
  }
  expect(findings('teams', story.text)).toEqual([]);
});

test('whoever was asked to leave has left, also where nobody sees its answer come back', () => {
  const story = new Story();
  story.team('crew');
  const helper = story.mate('writer', 'crew');
  story.hear('writer', { type: 'idle_notification', from: 'writer' });
  story.ask('writer');
  const answer = { type: 'shutdown_response', request_id: 'shutdown-1@writer', approve: true };
  story.open('SendMessage', { to: 'team-lead', message: answer }, helper);
  story.wait(1).call('TeamDelete', {}, { success: true, message: 'Cleaned up', team_name: 'crew' });
  expect(findings('teams', story.text)).toEqual([]);
});

test('two sessions that each have a team of the same name have two teams', () => {
  const [one, two] = [new Story(), new Story({ session: 'bbbbbbbb-0000' })];
  for (const story of [one, two]) story.team('crew');
  one.mate('writer', 'crew');
  two.wait(60).call('TeamDelete', {}, { success: true, message: 'Cleaned up', team_name: 'crew' });
  expect(findings('teams', one.text + two.text)).toEqual([]);
  two.mate('writer', 'crew');
  expect(findings('teams', one.text + two.text)).toEqual([]);
});
