import { describe, expect, test } from 'vitest';
import { redactSecrets } from '../../../../src/lib.js';
import { innocents, names, places, values, ways } from './contexts.js';
import { letters } from './specimens.js';

test('there are more than ten times the contexts that an attack on version 2 had', () => {
  expect(
    [...places.values()].flat().length * values.length + names.length * ways.length * values.length,
  ).toBeGreaterThan(2140);
});

describe('a secret goes', () => {
  test.each([...places])('in %s', (_place, texts) => {
    const leaks = texts.flatMap((text) =>
      values
        .filter((value) => redactSecrets(text.replaceAll('§', value)).includes(value))
        .map((value) => [text, value]),
    );
    expect(leaks).toEqual([]);
  });

  test.each(ways)('by its name: %j', (way) => {
    const leaks = names.flatMap((name) =>
      values
        .map((value) => [way.replaceAll('¤', name).replaceAll('§', value), value] as const)
        .filter(([text, value]) => redactSecrets(text).includes(value)),
    );
    expect(leaks).toEqual([]);
  });

  test.each([...places])('and a second time nothing changes, in %s', (_place, texts) => {
    const once = texts.map((text) => redactSecrets(text.replaceAll('§', values[1] ?? '')));
    expect(once.filter((text) => redactSecrets(text) !== text)).toEqual([]);
    const records = once.map((text) => ({ input: { command: text }, lines: text.split('\n') }));
    expect(records.map((record) => redactSecrets(redactSecrets(record)))).toEqual(
      records.map((record) => redactSecrets(record)),
    );
  });

  /** How a text may be told by another. */
  const carriers: readonly (readonly [string, (text: string) => string])[] = [
    ['a text in JSON', (text) => JSON.stringify({ out: text })],
    ['a text in JSON in JSON', (text) => JSON.stringify({ log: JSON.stringify([{ out: text }]) })],
    ['lines with numbers', (text) => text.replace(/^/gm, '    12→')],
    ['lines among others', (text) => `$ cat file\n${text}\nThe end.\n`],
  ];
  test.each(carriers)('in every place, inside %s', (_carrier, carry) => {
    const value = values[1] ?? '';
    const texts = [...places.values()].flat().map((text) => carry(text.replaceAll('§', value)));
    expect(texts.filter((text) => redactSecrets(text).includes(value))).toEqual([]);
  });

  test('as a JSON value as well as in its text', () => {
    const texts = [...places.values()].flat().filter((text) => /^[[{]/.test(text));
    const records = texts.flatMap((text) => parsed(text.replaceAll('§', 'hunter2hunter')));
    expect(records.length).toBeGreaterThan(20);
    expect(records.filter((record) => JSON.stringify(redactSecrets(record)).includes('hunter2'))).toEqual([]);
  });
});

function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

/** A code that was sent, a PIN: here digits are the secret. */
const codes: readonly string[] = [
  'PIN: §',
  'Your PIN is §.',
  'pin = §',
  'PIN code: §',
  'OTP: §',
  'Your OTP is §',
  'otp=§',
  '2FA code: §',
  'Your one-time code is §',
  'verification code: §',
  'Your verification code for the shop is §',
  '{"pin":"§","user":"ada"}',
  'security code → §',
];

test.each(codes)('a code goes: %s', (text) => {
  const leaks = ['4821', '483921', '483-921'].filter((code) => redactSecrets(text.replace('§', code)).includes(code));
  expect(leaks).toEqual([]);
});

test('the key of a service nobody knows: a name, _ and a long run of letters and digits', () => {
  expect(redactSecrets(`got acme_real_${letters(40)} from it`)).toBe('got acme_real[redacted:api-key] from it');
  expect(redactSecrets(`toolu_01${letters(22)} and test_${'a'.repeat(40)}`)).not.toContain('redacted');
});

test('codes as numbers of a record', () => {
  expect(redactSecrets({ pin: 4821, otp: '483921', exit_code: 1, code: 40_001, login: 'ada1990' })).toEqual({
    pin: '[redacted:password]',
    otp: '[redacted:password]',
    exit_code: 1,
    code: 40_001,
    login: 'ada1990',
  });
});

/** Records hold in pieces what their text says as a whole. */
const records: readonly (readonly [story: string, record: unknown])[] = [
  ['lines of a patch', { lines: [' db:', '+  password: |', '+    hunter2hunter', '+  user: ada'] }],
  ['lines of a key', { lines: ['+-----BEGIN PRIVATE KEY-----', `+${'hunter2hunter'.repeat(5)}`, '+more'] }],
  ['words of a command', { args: ['--password', 'hunter2hunter'] }],
  ['words of docker login', { args: ['docker', 'login', '-u', 'ada', '-p', 'hunter2hunter'] }],
  ['words of curl', ['curl', '-u', 'ada:hunter2hunter', 'https://x.test']],
  ['a piece of a message', { delta: { type: 'text_delta', text: 'hunter2hunter' } }],
  ['a piece of an input', { delta: { type: 'input_json_delta', partial_json: '{"password":"hunter2' } }],
  ['a Kubernetes secret', { kind: 'Secret', data: { anything: 'hunter2hunter' } }],
  ['an object', { secret: { name: 'x', value: 'hunter2hunter' } }],
  ['a list', { passwords: ['hunter2hunter'], tokens: ['hunter2hunter'] }],
  ['a number', { password: 22222222, db: { passwd: 22222222 } }],
  ['a name and a value', [{ Key: 'ApiToken', Value: 'hunter2hunter' }]],
  ['a key', { 'PASSWORD=hunter2hunter': 1 }],
  ['a header', { headers: [{ name: 'Cookie', value: 'sid=hunter2hunter' }] }],
  ['two objects below', { token: { data: { raw: 'hunter2hunter' } } }],
  ['short names', { k: 'token', v: 'hunter2hunter' }],
  ['a change', { field: 'password', old: 'hunter2hunter', new: 'hunter2hunter3' }],
  ['an input of a form', { inputs: [{ type: 'password', name: 'p', value: 'hunter2hunter' }] }],
  ['cookies', { cookies: { sid: 'hunter2hunter' } }],
];

test.each(records)('a record does not show what its text hides: %s', (_story, record) => {
  expect(JSON.stringify(redactSecrets(record))).not.toMatch(/hunter2|22222222/);
});

test.each(innocents)('stays: %j', (text) => {
  expect(redactSecrets(text)).toBe(text);
});
