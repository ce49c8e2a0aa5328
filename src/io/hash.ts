import { createHmac } from 'node:crypto';

/** Six hexadecimal digits of a keyed hash. Without the salt, the text cannot be found by trying. */
export function shortHash(salt: string): (text: string) => string {
  return (text) => createHmac('sha256', salt).update(text).digest('hex').slice(0, 6);
}
