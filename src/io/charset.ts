import type { Environment } from './streams.js';

/**
 * Whether a terminal can be given more than ASCII. Containers often name no locale and are looked at through a terminal
 * that has everything, so only a locale that names another charset counts, and the console of the kernel.
 */
export function hasUnicode(env: Environment): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const [, charset] = /\.([^@]*)/.exec(locale) ?? [];
  return env['TERM'] !== 'linux' && (charset === undefined || /^utf-?8$/i.test(charset));
}
