// What -f atif writes keeps the rules of ATIF 1.7 as harbor checks them (harbor/models/trajectories, from 0.20 to the one
// that knows 1.8): its fields and no others; a step of its own at least; steps numbered from 1; what only agents do, in
// their steps only; times that Python's datetime.fromisoformat reads; ids of calls once in a step, and results of calls
// of the same step; agents with an id, once in the trajectory that embeds them, and references to those alone.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { homes, type Input, sessions, specimens } from '../../laws/inputs.js';
import { cct } from '../../run.js';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const name = { type: 'string', minLength: 1 };
const extra = { type: 'object' };

function record(required: readonly string[], properties: Readonly<Record<string, unknown>>) {
  return { type: 'object', additionalProperties: false, required, properties: { ...properties, extra } };
}

const metrics = record([], {
  ...{ prompt_tokens: count, completion_tokens: count, cached_tokens: count, cost_usd: { type: 'number' } },
  ...{ prompt_token_ids: { type: 'array' }, completion_token_ids: { type: 'array' }, logprobs: { type: 'array' } },
});
// Of an embedded agent: one in another file would have a trajectory_path.
const reference = record(['trajectory_id'], { trajectory_id: name, trajectory_path: text, session_id: text });
const result = record([], {
  source_call_id: name,
  content: text,
  subagent_trajectory_ref: { type: 'array', items: reference },
});
const call = record(['tool_call_id', 'function_name', 'arguments'], {
  ...{ tool_call_id: name, function_name: name, arguments: { type: 'object' } },
});
const ofAgents = {
  ...{ model_name: text, reasoning_effort: { type: ['string', 'number'] }, reasoning_content: text, metrics },
  tool_calls: { type: 'array', items: call },
};
const step = {
  ...record(['step_id', 'source', 'message'], {
    ...{
      step_id: { type: 'integer', minimum: 1 },
      // Before Python 3.11, three or six digits of a second.
      timestamp: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3}(\\d{3})?)?Z$' },
    },
    ...{ source: { enum: ['system', 'user', 'agent'] }, message: text },
    ...{ llm_call_count: count, is_copied_context: { type: 'boolean' } },
    ...ofAgents,
    observation: { ...record(['results'], {}), properties: { results: { type: 'array', items: result } } },
  }),
  if: { not: { properties: { source: { const: 'agent' } } } },
  // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema
  then: { properties: Object.fromEntries(Object.keys(ofAgents).map((field) => [field, false])) },
};
const trajectory = {
  $id: 'trajectory',
  ...record(['schema_version', 'agent', 'steps'], {
    ...{ schema_version: { const: 'ATIF-v1.7' }, session_id: text, trajectory_id: name, notes: text },
    agent: record(['name', 'version'], {
      ...{ name, version: name, model_name: text, tool_definitions: { type: 'array' } },
    }),
    steps: { type: 'array', minItems: 1, items: step },
    final_metrics: record([], {
      ...{ total_prompt_tokens: count, total_completion_tokens: count, total_cached_tokens: count },
      ...{ total_cost_usd: { type: 'number' }, total_steps: count },
    }),
    continued_trajectory_ref: text,
    subagent_trajectories: { type: 'array', items: { $ref: 'trajectory' } },
  }),
};
const isValid = new Ajv2020({ allErrors: true, strict: false }).compile<Trajectory>(trajectory);

interface Trajectory {
  readonly trajectory_id?: string;
  readonly steps: readonly {
    readonly step_id: number;
    readonly source: string;
    readonly message: string;
    readonly tool_calls?: readonly { readonly tool_call_id: string; readonly function_name: string }[];
    readonly observation?: {
      readonly results: readonly {
        readonly source_call_id?: string;
        readonly content?: string;
        readonly extra?: { readonly is_error?: boolean };
        readonly subagent_trajectory_ref?: readonly { readonly trajectory_id: string }[];
      }[];
    };
  }[];
  readonly final_metrics?: Readonly<Record<string, number>>;
  readonly subagent_trajectories?: readonly Trajectory[];
}

async function trajectoriesOf(input: Input): Promise<Trajectory[]> {
  const files = input.parts.flatMap(({ path }) => (path === null ? [] : [`fixtures/${input.name}/${path}`]));
  const stdin = files.length === 0 ? Buffer.concat(input.parts.map(({ bytes }) => bytes)).toString() : '';
  const { stdout } = await cct(['trace', '-q', '-f', 'atif', ...files], stdin);
  return stdout.split('\n').filter(Boolean).map(valid);
}

function valid(line: string): Trajectory {
  const value: unknown = JSON.parse(line);
  if (!isValid(value)) throw new Error(JSON.stringify(isValid.errors?.slice(0, 3)));
  return value;
}

function problemsOf({ steps, subagent_trajectories: agents = [] }: Trajectory): string[] {
  const known = agents.map(({ trajectory_id }) => trajectory_id ?? '');
  return [
    ...(new Set(known).size === known.length ? [] : ['two agents of one id']),
    ...known.filter((id) => id === '').map(() => 'an agent without an id'),
    ...steps.flatMap(({ step_id, tool_calls = [], observation }, at) => [
      ...(step_id === at + 1 ? [] : [`step ${step_id} at ${at}`]),
      ...(new Set(tool_calls.map((one) => one.tool_call_id)).size === tool_calls.length ? [] : ['a call twice']),
      ...(observation?.results ?? []).flatMap(({ source_call_id, subagent_trajectory_ref: refs = [] }) => [
        ...(tool_calls.some(({ tool_call_id }) => tool_call_id === source_call_id)
          ? []
          : [`no call ${source_call_id}`]),
        ...refs.filter(({ trajectory_id }) => !known.includes(trajectory_id)).map(() => 'an agent that is not there'),
      ]),
    ]),
    ...agents.flatMap(problemsOf),
  ];
}

// What other agents write, and what begins in the middle.
const others = specimens.filter(({ name }) =>
  /specimens\/(?:codex|cursor|gemini|opencode|qwen|agents|transcripts)\//.test(name),
);

test.each([...sessions, ...homes, ...others])('$name', async (input) => {
  const found = await trajectoriesOf(input);
  expect(found.flatMap(problemsOf)).toEqual([]);
});

describe('a run with agents', () => {
  const named = (wanted: string) => [...sessions, ...homes].filter(({ name }) => name === wanted);

  test('embeds each agent where it was started', async () => {
    const [found] = await trajectoriesOf(named('files/nested-2.1.326')[0] ?? { name: '', parts: [] });
    const depths: number[] = [];
    for (let next = found?.subagent_trajectories; next !== undefined; next = next[0]?.subagent_trajectories)
      depths.push(next.length);
    expect(depths).toEqual([1, 1, 1]);
  });

  test('says what was asked and answered, and what it took', async () => {
    const [found] = await trajectoriesOf(named('sessions/several-tools.ndjson')[0] ?? { name: '', parts: [] });
    expect(
      found?.steps.map(({ source, tool_calls = [] }) => [source, ...tool_calls.map((one) => one.function_name)]),
    ).toMatchInlineSnapshot(`
      [
        [
          "agent",
          "Bash",
          "Read",
        ],
        [
          "agent",
          "Read",
          "Bash",
        ],
        [
          "agent",
          "NoSuchTool",
          "Bash",
        ],
        [
          "agent",
          "Write",
        ],
        [
          "agent",
          "Edit",
        ],
        [
          "agent",
        ],
      ]
    `);
    const results = found?.steps.flatMap(({ observation }) => observation?.results ?? []) ?? [];
    expect(results.map(({ extra: told }) => told?.is_error === true)).toEqual([
      ...[false, false, true, true, true, true, false, false],
    ]);
    expect(found?.final_metrics).toMatchInlineSnapshot(`
      {
        "total_cached_tokens": 74121,
        "total_completion_tokens": 27,
        "total_cost_usd": 0.07799925,
        "total_prompt_tokens": 80571,
        "total_steps": 6,
      }
    `);
  });
});

test('the check refuses what breaks a rule', () => {
  const good = { schema_version: 'ATIF-v1.7', agent: { name: 'a', version: '1' }, steps: [userStep] };
  expect(isValid(good)).toBe(true);
  expect(isValid({ ...good, steps: [] })).toBe(false);
  expect(isValid({ ...good, steps: [{ ...userStep, metrics: {} }] })).toBe(false);
  expect(isValid({ ...good, other: 1 })).toBe(false);
  const unknown = { ...userStep, observation: { results: [{ source_call_id: 'x' }] } };
  expect(problemsOf({ steps: [{ ...unknown, step_id: 2 }] })).toEqual(['step 2 at 0', 'no call x']);
});
const userStep = { step_id: 1, source: 'user', message: '' };
