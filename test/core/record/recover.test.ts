import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type Recovery, recover } from '../../../src/core/record/recover.js';
import { ValueScanner } from '../../../src/core/record/value-scanner.js';
import { type JsonObject, parseJson } from '../../json.js';

const user = '{"type":"user","session_id":"s1"}';
const reply =
  '{"type":"assistant","message":{"content":[{"type":"text","text":"hello"}],"usage":{"n":12.5}},"ok":true}';
const result = '{"duration_api_ms":950,"usage":{"n":4},"type":"result"}';

/** Parts in short: the records' texts, and lost text with its reason. */
function outline({ parts, head, rest }: Recovery) {
  const lines = parts.map((part) =>
    part.kind === 'record' ? JSON.stringify(part.record) : `${part.reason}: ${part.text}`,
  );
  return { lines, head: head?.text ?? null, rest };
}

describe('recover', () => {
  it.each<[string, string, string[]]>([
    ['two records in a row', user + reply, [user, reply]],
    ['blanks, commas and NULs between', `${user} ,\0\t${reply},`, [user, reply]],
    ['files without a final newline', '{"agentType":"a"}{"agentType":"b"}', ['{"agentType":"a"}', '{"agentType":"b"}']],
    ['a brace too many', `${user}}`, [user, 'trailing text (}): }']],
    ['text behind a record', `${user} # done`, [user, 'trailing text (at column 35): # done']],
    ['text between records', `${user}]oops ${reply}`, [user, 'trailing text (at column 34): ]oops ', reply]],
    ['a record in a string', reply.replace('hello', `hel${user}lo`), [user, reply]],
    ['a record in a key', reply.replace('"message"', `"mes${user}sage"`), [user, reply]],
    ['a record in a number', reply.replace('12.5', `12.${result}5`), [result, reply]],
    ['a record between two digits', reply.replace('12.5', `1${result}2.5`), [result, reply]],
    ['a record in a word', reply.replace('true', `tr${user}ue`), [user, reply]],
    ['a record before a value', reply.replace('12.5', `${user}12.5`), [user, reply]],
    ['a record before an element', reply.replace('[', `[${user}`), [user, reply]],
    ['a record behind an element', reply.replace(']', `${user}]`), [user, reply]],
    ['a record before a key', reply.replace('{"type"', `{${user}"type"`), [user, reply]],
    ['two records in one', reply.replace('hello', `h${user}el${result}lo`), [user, result, reply]],
    [
      'a record in the second of three',
      user + reply.replace('hello', `h${user}ello`) + result,
      [user, user, reply, result],
    ],
    [
      'a record that fell behind an escape',
      '{"type":"user","a":"x\\{"type":"system"}n"}',
      ['{"type":"system"}', '{"type":"user","a":"x\\n"}'],
    ],
    [
      'a whole record behind a cut one and text',
      `{"type":"a","b":"x\0\0${user}`,
      ['not JSON (unexpected character at column 19): {"type":"a","b":"x\0\0', user],
    ],
    [
      'a record in a cut one',
      '{"type":"a","b":"x{"type":"user"}y',
      ['{"type":"user"}', 'not JSON (unexpected end): {"type":"a","b":"xy'],
    ],
    ['nothing', '{"type":"assistant","mess', ['not JSON (unexpected end): {"type":"assistant","mess']],
    [
      'a cut record that ends in a block',
      reply.slice(0, reply.indexOf(']')),
      [`not JSON (unexpected end): ${reply.slice(0, reply.indexOf(']'))}`],
    ],
    [
      'a missing comma between blocks',
      '{"a":[{"type":"text"}{"type":"text"}]}',
      ['not JSON (unexpected character at column 22): {"a":[{"type":"text"}{"type":"text"}]}'],
    ],
    [
      'no blocks behind damage',
      '{"a":[oops,{"type":"text"}]}',
      ['not JSON (unexpected character at column 7): {"a":[oops,{"type":"text"}]}'],
    ],
    [
      'quotes that nobody escaped',
      '{"a":"see {"type":"text"} there"}',
      ['not JSON (unexpected character at column 13): {"a":"see {"type":"text"} there"}'],
    ],
    [
      'two cut records',
      '{"type":"user","a{"type":"user","b":',
      ['not JSON (unexpected character at column 20): {"type":"user","a{"type":"user","b":'],
    ],
  ])('%s', (_, text, lines) => {
    expect(outline(recover(text, 1))).toEqual({ lines, head: null, rest: text.length });
  });

  it.each([
    ['in a string', '{"type":"assistant","mess'],
    ['before a value', '{"type":"assistant","message":'],
    ['before a key', '{"type":"assistant",'],
  ])('keeps a head that was cut %s for the next line', (_, head) => {
    expect(outline(recover(head + user, 1))).toEqual({ lines: [user], head, rest: head.length + user.length });
    expect(outline(recover(user + head + user + result, 1))).toMatchObject({ lines: [user, user, result], head });
  });

  it('leaves an array behind a record to others', () => {
    expect(outline(recover(`${user} [{"a":1}]`, 1))).toEqual({ lines: [user], head: null, rest: user.length + 1 });
  });

  it('recovers any record from any place in another, where there is only one way to read it', () => {
    // Not like an integer: such keys would come before the type.
    const key = fc.string().map((name) => `k${name}`);
    const record = fc
      .tuple(fc.constantFrom('system', 'assistant', 'user', 'x'), fc.dictionary(key, fc.jsonValue()))
      .map(([type, fields]): JsonObject => ({ type, ...fields, session_id: 's' }));
    fc.assert(
      fc.property(record, record, fc.nat(), (outer, inner, place) => {
        const [text, written] = [JSON.stringify(outer), JSON.stringify(inner)];
        const at = 1 + (place % (text.length - 1));
        const line = text.slice(0, at) + written + text.slice(at);
        // The only element of an empty list, say: such a line is JSON as it stands.
        fc.pre(parseJson(line) === undefined);
        expect(outline(recover(line, 1))).toEqual({ lines: [written, text], head: null, rest: line.length });
      }),
      { numRuns: 1000 },
    );
  });

  it('accounts for every character of any line', () => {
    const piece = fc.oneof(
      fc.constantFrom(user, reply, result, '{', '}', ']', '"', ',', '\\', '{"type":"', '\0', ' ', 'x'),
      fc.nat(reply.length).map((end) => reply.slice(0, end)),
      fc.nat(reply.length).map((start) => reply.slice(start)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = `{${pieces.join('')}`;
        const { parts, head, rest } = recover(text, 1);
        const unread = [...text];
        const take = (from: number, to: number) => unread.fill('', from, to);
        for (const { at, end } of parts) take(at, end);
        if (head !== null) take(head.at, text.length);
        take(rest, text.length);
        expect(unread.join('').replace(/[ ,\0]/g, '')).toBe('');
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['record starts', '{"a":"', '{"type":"'],
    ['cut records', '{"a":"', '{"type":"user","b":"c'],
    ['records cut deep inside', '{"a":"', '{"type":"user","a":{"b":['],
    ['blocks', '{"a":"', '{"type":"text","text":"a"}oops'],
    ['records in one', '{"a":"', '{"type":"user"}'],
    ['records in a row', '', '{"type":"user"}'],
    ['brackets', '{"a":', '['],
    ['blanks', '{"a":', ' '],
  ])('reads a long line of %s no more than three times', (_, head, piece) => {
    const text = head + piece.repeat(100_000 / piece.length);
    let read = 0;
    const original = ValueScanner.prototype.read;
    const spy = vi.spyOn(ValueScanner.prototype, 'read').mockImplementation(function (this: ValueScanner, some, from) {
      const stop = original.call(this, some, from);
      read += stop - from;
      return stop;
    });
    recover(text, 1);
    spy.mockRestore();
    expect(read).toBeGreaterThan(text.length / 4);
    expect(read).toBeLessThan(text.length * 3);
  });
});
