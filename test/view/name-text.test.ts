import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sanitize, visibleName } from '../../src/view/text.js';
import { hostileText } from './hostile.js';

const shown = (name: string) => sanitize(visibleName(name));

describe('names that would pass for another are written out', () => {
  test.each([
    ['Cyrillic е', 't\u0435am-lead', 't\\u0435am-lead'],
    ['Cyrillic а', 'm\u0430in', 'm\\u0430in'],
    ['Greek ο', 'c\u03bfder', 'c\\u03bfder'],
    ['Armenian ո', 'mai\u0578', 'mai\\u0578'],
    [
      'a word all in Cyrillic',
      '\u0442\u0435\u0430\u043c-\u04cf\u0435\u0430\u0501',
      '\\u0442\\u0435\\u0430\\u043c-\\u04cf\\u0435\\u0430\\u0501',
    ],
    ['zero width', 'team\u200b-lead', 'team\\u200b-lead'],
    ['a joiner', 'team\u200d-lead', 'team\\u200d-lead'],
    ['a bidi override', '\u202edael-maet', '\\u202edael-maet'],
    ['a variation selector', 'team-lead\ufe0f', 'team-lead\\ufe0f'],
    ['full width', '\uff4dain', '\\uff4dain'],
    ['mathematical', '\u{1d426}ain', '\\u{1d426}ain'],
    ['a dotless i', 'ma\u0131n', 'ma\\u0131n'],
    ['a phonetic a', 'm\u0251in', 'm\\u0251in'],
    ['another hyphen', 'team\u2010lead', 'team\\u2010lead'],
    ['a minus', 'team\u2212lead', 'team\\u2212lead'],
    ['a space behind', 'main ', 'main\\x20'],
    ['a space before', ' main', '\\x20main'],
    ['no-break space', 'team\u00a0lead', 'team\\xa0lead'],
    ['one of several', 'writer, t\u0435am-lead', 'writer, t\\u0435am-lead'],
    ['with its team', 't\u0435am-lead@crew', 't\\u0435am-lead@crew'],
    ['an escape sequence', '\x1b[2Jmain', '\\x1b[2Jmain'],
    ['a line end', 'main\nmain', 'main\\nmain'],
  ])('%s', (_what, name, expected) => {
    expect(shown(name)).toBe(expected);
  });
});

describe('names that are what they look like stay', () => {
  test.each([
    'team-lead',
    'main',
    'Read the README',
    'агент-1',
    'Обзор README',
    'роса',
    'Ελένη',
    '测试员',
    'テスト担当',
    'QA-テスト',
    '한국어-agent',
    'müller-Œuvre-naïve',
    'ＱＡ'.normalize('NFKC'),
    'हिन्दी',
    '👩🏽 reviewer',
    '',
  ])('%s', (name) => {
    expect(visibleName(name)).toBe(name);
  });
});

test('nobody but the lead is shown as the lead', () => {
  fc.assert(
    fc.property(hostileText, fc.nat(9), (text, at) => {
      const name = `team-lead`.slice(0, at) + text + `team-lead`.slice(at);
      fc.pre(name !== 'team-lead');
      expect(shown(name)).not.toBe('team-lead');
    }),
    { numRuns: 500 },
  );
});
