import { describe, expect, test } from 'vitest';
import { type ColorChoice, type ColorLevel, colorLevel } from '../../src/io/streams.js';

describe('colorLevel', () => {
  test.each<[choice: ColorChoice, isTTY: boolean, env: Record<string, string>, level: ColorLevel]>([
    ['auto', true, {}, 1],
    ['auto', true, { TERM: 'xterm-256color' }, 2],
    ['auto', true, { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 3],
    ['auto', true, { COLORTERM: '24bit' }, 3],
    ['auto', false, { TERM: 'xterm-256color' }, 0],
    ['auto', true, { TERM: 'dumb' }, 0],
    ['auto', true, { NO_COLOR: '1' }, 0],
    ['auto', true, { NO_COLOR: '' }, 1],
    ['auto', true, { NO_COLOR: '1', FORCE_COLOR: '3' }, 0],
    ['auto', false, { FORCE_COLOR: '1' }, 1],
    ['auto', false, { FORCE_COLOR: 'true' }, 1],
    ['auto', false, { FORCE_COLOR: '2' }, 2],
    ['auto', false, { FORCE_COLOR: '3' }, 3],
    ['auto', false, { FORCE_COLOR: '3', TERM: 'dumb' }, 3],
    ['auto', true, { FORCE_COLOR: '0' }, 0],
    ['auto', true, { FORCE_COLOR: 'false' }, 0],
    ['auto', false, { FORCE_COLOR: '' }, 0],
    ['auto', false, { CLICOLOR_FORCE: '1' }, 1],
    ['auto', false, { CLICOLOR_FORCE: '1', TERM: 'xterm-256color' }, 2],
    ['auto', false, { CLICOLOR_FORCE: '1', CLICOLOR: '0' }, 1],
    ['auto', false, { CLICOLOR_FORCE: '0' }, 0],
    ['auto', true, { CLICOLOR_FORCE: '1', NO_COLOR: '1' }, 0],
    ['auto', true, { CLICOLOR_FORCE: '1', FORCE_COLOR: '0' }, 0],
    ['auto', true, { CLICOLOR: '0' }, 0],
    ['auto', true, { CLICOLOR: '1' }, 1],
    ['auto', false, { CLICOLOR: '1' }, 0],
    ['always', false, { CLICOLOR: '0' }, 1],
    ['always', false, {}, 1],
    ['always', false, { NO_COLOR: '1', TERM: 'dumb' }, 1],
    ['always', false, { TERM: 'screen-256color' }, 2],
    ['never', true, { FORCE_COLOR: '3', COLORTERM: 'truecolor' }, 0],
  ])('%s, terminal %s, %o is %s', (choice, isTTY, env, level) => {
    expect(colorLevel(choice, isTTY, env)).toBe(level);
  });
});
