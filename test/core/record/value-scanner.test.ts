import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValueScanner } from '../../../src/core/record/value-scanner.js';
import { parseJson } from '../../json.js';

const isSpace = (text: string) => /^[ \t\n\r]*$/.test(text);

/** Whether the scanner takes a text for exactly one JSON value. */
function accepts(text: string): boolean {
  const scanner = new ValueScanner();
  const end = scanner.read(text, 0);
  scanner.endLine();
  return scanner.status === 'whole' && isSpace(text.slice(end));
}

describe('ValueScanner', () => {
  it.each([
    ['{"a":1}', 'whole', 7],
    ['{"a":1}}', 'whole', 7],
    ['"a" b', 'whole', 3],
    ['12,', 'whole', 2],
    ['[true]', 'whole', 6],
    ['{"a":1', 'open', 6],
    ['"a', 'open', 2],
    ['{a', 'wrong', 1],
    ['{"a":01}', 'wrong', 6],
    ['{"a":1,}', 'wrong', 7],
    ['[1,]', 'wrong', 3],
    ['["\\x"]', 'wrong', 3],
    ['["\\u12g4"]', 'wrong', 6],
    ['["a\tb"]', 'wrong', 3],
    ['[tru}', 'wrong', 4],
    ['[1.]', 'wrong', 3],
    ['[1}', 'wrong', 2],
    ['{]', 'wrong', 1],
  ])('%j is %s at %i', (text, status, at) => {
    const scanner = new ValueScanner();
    expect([scanner.read(text, 0), scanner.status]).toEqual([at, status]);
  });

  it('agrees with JSON.parse about values, cut and changed ones included', () => {
    const changed = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.nat(3),
        fc.constantFrom('', '{', '}', '[', ']', '"', ',', ':', '\\', '0', '-', 'e', '.', 't', ' '),
      )
      .map(([text, place, gap, extra]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + extra + text.slice(at + gap);
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), changed), (text) => {
        expect(accepts(text)).toBe(parseJson(text) !== undefined);
      }),
      { numRuns: 1000 },
    );
  });

  it('does not care where the pieces of a text begin', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, place) => {
        const text = `[${json}]`;
        const at = place % (text.length + 1);
        const scanner = new ValueScanner();
        scanner.read(text.slice(0, at), 0);
        if (scanner.status === 'open') scanner.read(text.slice(at), 0);
        expect(scanner.status).toBe('whole');
      }),
    );
  });

  it('reads 100,000 levels and gives up beyond a million', () => {
    expect(accepts('['.repeat(100_000) + ']'.repeat(100_000))).toBe(true);
    const scanner = new ValueScanner();
    expect([scanner.read('['.repeat(2_000_000), 0), scanner.status]).toEqual([1_000_000, 'wrong']);
  });
});
