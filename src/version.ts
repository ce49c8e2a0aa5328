/** The same as in package.json (test/man.test.ts checks it). Constants, because `cct --version` reads no file. */
export const version = '0.3.0';
export const released = '2026-11-18';
