// Markdown in the page is a tree of known nodes, and nothing in it runs or loads.

import { describe, expect, test } from 'vitest';
import { blocksOf, inlineOf, isSafe, type Node } from '../../../src/commands/report/prose.js';

describe('blocks', () => {
  test('headings, lists, quotes, code, tables and rules', () => {
    const text = [
      '# Title #',
      'One *two*',
      'three',
      '',
      '- a',
      '  - b',
      '- c',
      '',
      '3. x',
      '4. y',
      '',
      '> said **loud**',
      '',
      '```ts',
      '<b>not HTML</b>',
      '```',
      '| a | b |',
      '|---|:-:|',
      '| 1 | `2` |',
      '---',
    ].join('\n');
    const blocks = blocksOf(text);
    expect(blocks).toMatchObject([
      { tag: 'p', attributes: { class: 'heading level1' }, inside: ['Title'] },
      { tag: 'p', inside: ['One ', { tag: 'em', inside: ['two'] }, { tag: 'br' }, 'three'] },
      {
        tag: 'ul',
        inside: [
          { tag: 'li', inside: [{ tag: 'p' }, { tag: 'ul' }] },
          { tag: 'li', inside: [{ tag: 'p' }] },
        ],
      },
      { tag: 'ol', attributes: { start: 3 }, inside: [{ tag: 'li' }, { tag: 'li' }] },
      { tag: 'blockquote', inside: [{ tag: 'p', inside: ['said ', { tag: 'strong', inside: ['loud'] }] }] },
      { tag: 'pre', inside: ['<b>not HTML</b>'] },
      { tag: 'div', inside: [{ tag: 'table', inside: [{ tag: 'tbody', inside: [{ tag: 'tr' }, { tag: 'tr' }] }] }] },
      { tag: 'hr', inside: [] },
    ]);
  });

  test('a fence that nothing closes holds the rest', () => {
    expect(blocksOf('```\na\n\nb')).toEqual([{ tag: 'pre', attributes: {}, inside: ['a\n\nb'] }]);
  });

  test('every word stays', () => {
    const text = 'a\n- b\nc\n  d\n\n   e\n1) f\n> g\nh\n| i |\n***\n**j';
    expect(textOf(blocksOf(text)).match(/\w/g)?.join('')).toBe('abcdefghij');
  });
});

describe('inline', () => {
  test.each([
    ['a **b** c', ['a ', { tag: 'strong', inside: ['b'] }, ' c']],
    ['snake_case_name', undefined],
    ['2 * 3 * 4', undefined],
    ['**open', undefined],
    ['`a*b*`', [{ tag: 'code', inside: ['a*b*'] }]],
    ['\\*a\\*', undefined],
  ])('%s', (text, expected) => {
    const nodes = inlineOf(text);
    if (expected === undefined) expect(textOf(nodes)).toBe(text.replaceAll('\\', ''));
    else expect(nodes).toMatchObject(expected);
  });

  test.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>)',
    '[x](#call=toolu_1)',
    '[x](file:///etc/passwd)',
    '[x](\u0001javascript:alert(1))',
    '[x](vbscript:x)',
    '<javascript:alert(1)>',
    '![x](https://example.com/pixel.png)',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
  ])('%s is no link', (text) => {
    expect(linksIn(blocksOf(text))).toEqual([]);
  });

  test.each([
    ['[a](https://example.com/b(c))', 'https://example.com/b(c)'],
    ['see https://example.com/x.', 'https://example.com/x'],
    ['<https://example.com>', 'https://example.com'],
    ['[m](mailto:dev@example.com)', 'mailto:dev@example.com'],
  ])('%s is one', (text, address) => {
    expect(linksIn(blocksOf(text))).toEqual([address]);
    expect(isSafe(address)).toBe(true);
  });
});

test.each([
  ['stars', '*a '],
  ['open brackets', '['],
  ['links cut off', '[a](b'],
  ['code marks', '` `` '],
  ['quotes', '>'],
  ['bullets', '- '],
  ['nested bullets', Array.from({ length: 40 }, (_, at) => `${' '.repeat(at)}- x\n`).join('')],
  ['spaces', ' '],
  ['pipes', '|-\n'],
  ['underlines', '_'],
])('%s take time in proportion', (_, unit) => {
  const cpuMs = (length: number) => {
    const before = process.cpuUsage();
    blocksOf(`x${unit.repeat(length / unit.length)}x`);
    return process.cpuUsage(before).user / 1000;
  };
  const least = (length: number) => Math.min(...[0, 1, 2].map(() => cpuMs(length)));
  // Four times as long; 16 times would be quadratic. What takes next to nothing cannot be compared.
  expect(least(40_000)).toBeLessThan(10 * least(10_000) + 40);
});

function textOf(nodes: readonly Node[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : textOf(node.inside))).join('');
}

function linksIn(nodes: readonly Node[]): string[] {
  return [...JSON.stringify(nodes).matchAll(/"href":"([^"]*)"/g)].map(([, address]) => address ?? '');
}
