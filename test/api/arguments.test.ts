// What makes no sense gets a sentence. Compiled programs cannot do most of this; scripts can.
import { expect, test } from 'vitest';
import * as cct from '../../src/node.js';

const { initialState } = cct;
const saved = cct.saveState(initialState);
const team: unknown = { name: 'crew', role: 'lead', members: 'nobody', tasks: [] };

/** Calls a function with what its type does not allow. */
function call(name: string, ...args: unknown[]): unknown {
  const found: unknown = Reflect.get(cct, name);
  if (typeof found !== 'function') throw new Error(`there is no ${name}`);
  return Reflect.apply(found, undefined, args);
}

const noState = (name: string) => `${name}: the state has to come from initialState, reduce or loadState`;
const noEvents = (name: string) => `${name}: the events have to be a list or another iterable`;

test.each<[string, unknown[], string]>([
  [
    'selectUsage',
    [initialState, { by: ['nonsense'] }],
    "selectUsage: by cannot be 'nonsense'; there are total, model,",
  ],
  [
    'selectUsage',
    [initialState, { by: ['model', undefined] }],
    'selectUsage: by cannot be undefined; there are total,',
  ],
  ['selectUsage', [initialState, { by: 'model' }], 'selectUsage: by has to be a list of total, model, '],
  ['selectUsage', [initialState, { By: ['model'] }], "selectUsage: there is no option 'By'; there are by, session,"],
  ['selectUsage', [initialState, null], 'selectUsage: the options have to be an object, not null'],
  [
    'selectUsage',
    [initialState, { by: ['day'], timezone: 'Mars' }],
    "selectUsage: timezone has to be UTC, +02:00 or a name such as Europe/Paris, not 'Mars'",
  ],
  [
    'selectUsage',
    [initialState, { timezone: 2 }],
    'selectUsage: timezone has to be UTC, +02:00 or a name such as Europe/Paris, not 2',
  ],
  ['selectUsage', [initialState, { includes: true }], 'selectUsage: includes has to be a function, not true'],
  ['selectUsage', [initialState, { mode: 'best' }], "selectUsage: mode cannot be 'best'; there are auto, reported,"],
  [
    'selectUsage',
    [saved],
    `${noState('selectUsage')} (a saved state has to be loaded first), not an object with cct_s`,
  ],
  ['selectTeams', [undefined], `${noState('selectTeams')}, not undefined`],
  ['selectTeams', [initialState, { end: true }], "selectTeams: there is no option 'end'; there are ended"],
  ['selectTeams', [initialState, { ended: 'yes' }], "selectTeams: ended has to be true or false, not 'yes'"],
  ['eventStream', [{ signal: 5 }], 'eventStream: signal has to be an AbortSignal, not 5'],
  ['copyState', [saved], `${noState('copyState')} (a saved state has to be loaded first), not an object with cct_s`],
  ['selectTasks', [[]], `${noState('selectTasks')}, not a list of 0`],
  ['saveState', ['text'], `${noState('saveState')}, not 'text'`],
  ['teamStateOf', [{}, 's'], `${noState('teamStateOf')}, not an empty object`],
  ['agentNames', [team], `${noState('agentNames')}, not an object with name, role, members`],
  ['createParser', [{ state: {} }], noState('createParser')],
  [
    'createParser',
    [{ maxLineBytes: '1k' }],
    "createParser: maxLineBytes has to be a number that is not negative, not '1k'",
  ],
  ['createParser', [{ warn() {} }], "createParser: there is no option 'warn'; there are state, onWarning,"],
  ['createParser', [{ onWarning: 1 }], 'createParser: onWarning has to be a function, not 1'],
  ['createParser', [{ stamp: 'now' }], "createParser: stamp has to be a function, not 'now'"],
  ['createParser', [{ several: true }], "createParser: there is no option 'several'; there are state,"],
  ['eventStream', [{ maxLineBytes: Number.NaN }], 'eventStream: maxLineBytes has to be a number'],
  ['eventStream', [{ encoding: 'utf8' }], "eventStream: there is no option 'encoding'"],
  ['reduce', [undefined, {}], `${noState('reduce')}, not undefined`],
  ['reduce', [{ cct: 1, event: 'x' }, {}], `${noState('reduce')} (in events.reduce(reduce, initialState), too)`],
  ['reduce', [initialState, { type: 'user' }], 'reduce: the event has to come from a parser, not an object with type'],
  ['selectMessages', [initialState], noEvents('selectMessages')],
  ['selectCalls', ['text'], noEvents('selectCalls')],
  ['selectCalls', [[], { by: ['call', 'tool'] }], "selectCalls: by 'call' gives every call by itself"],
  ['selectCalls', [[], { by: [7] }], 'selectCalls: by cannot be 7; there are tool, agent,'],
  [
    'selectUsage',
    [initialState, { prices: 5 }],
    'selectUsage: prices has to be an object with a function priceOf, not 5',
  ],
  ['selectUsage', [initialState, { session: 5 }], 'selectUsage: session has to be a text, not 5'],
  ['selectTasks', [JSON.parse(JSON.stringify(initialState))], `${noState('selectTasks')}, not an object with agents`],
  ['selectCalls', [[undefined]], 'selectCalls: the event has to come from a parser, not undefined'],
  ['selectSessions', [[7]], 'selectSessions: the event has to come from a parser, not 7'],
  ['selectSpans', [[{ type: 'user' }]], 'selectSpans: the event has to come from a parser, not an object with type'],
  ['selectFindings', [[null]], 'selectFindings: the event has to come from a parser, not null'],
  ['selectSessions', [initialState], noEvents('selectSessions')],
  ['selectFindings', [undefined], noEvents('selectFindings')],
  ['selectFindings', [[], { of: ['all'] }], "selectFindings: of cannot be 'all'; there are teams,"],
  ['selectSpans', [null], noEvents('selectSpans')],
  ['selectAccounts', [12], noEvents('selectAccounts')],
  ['observeTeam', [undefined], 'observeTeam: the source has to be an iterable or async iterable of text, bytes or'],
  ['observeTeam', [[], { signal: 5 }], 'observeTeam: signal has to be an AbortSignal, not 5'],
  ['observeTeam', [[], null], 'observeTeam: the options have to be an object, not null'],
  ['observeTeam', [[], { signals: 1 }], "observeTeam: there is no option 'signals'; there are state,"],
  ['recognizeTeamToolUses', [{}, { onWarning: 5 }], 'recognizeTeamToolUses: onWarning has to be a function, not 5'],
  ['teamStateOf', [initialState, 5], 'teamStateOf: the id of the session has to be a text, not 5'],
  ['eventSchema', ['team:left'], "eventSchema: the name of the event cannot be 'team:left'; there are "],
  ['withoutContent', [{ event: 'x' }], "withoutContent: the name of the event cannot be 'x'; there are "],
  ['withoutContent', [undefined], 'withoutContent: the event has to come from a parser, not undefined'],
  ['capabilities', [{ tools: 'Bash' }], "capabilities: tools has to be a list of names, not 'Bash'"],
  ['reduceTeamState', [team, {}], 'reduceTeamState: the state has to be a TeamState, not an object with name, role, m'],
  [
    'reduceTeamState',
    [undefined, {}],
    'reduceTeamState: the pair has to come from TeamToolCorrelationBuffer, not an em',
  ],
  [
    'reduceTeamState',
    [undefined, { recognized: { toolName: 'TeamDelete', toolUseId: 'a', input: {} }, result: 'ok' }],
    "reduceTeamState: the result has to be a block, not 'ok'",
  ],
])('%s(%j): %s', (name, args, sentence) => {
  const error = thrownBy(() => call(name, ...args));
  expect(error).toBeInstanceOf(TypeError);
  expect(error instanceof TypeError && error.message.slice(0, sentence.length)).toBe(sentence);
});

test.each<[string, unknown[]]>([
  ['capabilities', [undefined]],
  ['recognizeTeamToolUses', [undefined]],
  ['isTeamState', [undefined]],
  ['isTeamMessage', [null]],
  ['isEventName', [undefined]],
  ['redactSecrets', [undefined]],
  ['agentNames', [undefined]],
])('%s(%j) has an answer', (name, args) => {
  expect(() => call(name, ...args)).not.toThrow();
});

test('the buffer of calls says it too', () => {
  const buffer: { onToolUse(use: unknown): void; onToolResult(result: unknown): void; flush(age: unknown): void } =
    Reflect.construct(cct.TeamToolCorrelationBuffer, []);
  expect(() => buffer.onToolUse({})).toThrow(
    'onToolUse: the call has to come from recognizeTeamToolUses, not an empty',
  );
  expect(() => buffer.onToolResult(null)).toThrow('onToolResult: the result has to be a block with a tool_use_id, not');
  expect(() => buffer.flush('1s')).toThrow(
    "flush: the age in milliseconds has to be a number that is not negative, not '",
  );
  expect(() => Reflect.construct(cct.TeamToolCorrelationBuffer, [5])).toThrow(
    'the clock has to be a function, or have',
  );
});

test('a parser that begins a file wants its path', () => {
  const parser: { begin(path: unknown): void } = Reflect.apply(cct.createParser, undefined, []);
  expect(() => parser.begin(undefined)).toThrow('begin: the path has to be a text, not undefined');
});

test('every function of the library was asked', () => {
  const asked =
    /^(?:select|is|event|reduce|agentNames|capabilities|copy|create|load|observe|recognize|redact|save|team|without)/;
  const functions = Object.entries(cct).filter(([, value]) => typeof value === 'function');
  const classes = ['StateError', 'TeamToolCorrelationBuffer'];
  expect(functions.map(([name]) => name).filter((name) => !asked.test(name) && !classes.includes(name))).toEqual([]);
});

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
