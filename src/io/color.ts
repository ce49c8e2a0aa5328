import type { Environment } from './streams.js';

export const colorChoices = ['auto', 'always', 'never'] as const;

export type ColorChoice = (typeof colorChoices)[number];

/** As chalk counts: none, 16 colours, 256 colours, 24 bit. */
export type ColorLevel = 0 | 1 | 2 | 3;

/** Decided per stream, because stdout may be a file while stderr is a terminal. chalk's own answer ignores NO_COLOR. */
export function colorLevel(choice: ColorChoice, isTTY: boolean, env: Environment): ColorLevel {
  if (choice === 'never') return 0;
  if (choice === 'always') return terminalLevel(env) || 1;
  if (env['NO_COLOR']) return 0;
  const forced = forcedLevel(env['FORCE_COLOR']);
  if (forced !== null) return forced;
  return isTTY ? terminalLevel(env) : 0;
}

function forcedLevel(value: string | undefined): ColorLevel | null {
  switch (value) {
    case undefined:
    case '':
      return null;
    case '0':
    case 'false':
      return 0;
    case '2':
      return 2;
    case '3':
      return 3;
    default:
      return 1;
  }
}

function terminalLevel(env: Environment): ColorLevel {
  if (env['TERM'] === 'dumb') return 0;
  if (env['COLORTERM'] === 'truecolor' || env['COLORTERM'] === '24bit') return 3;
  return env['TERM']?.includes('256') ? 2 : 1;
}
