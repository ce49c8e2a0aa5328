import { createHmac } from 'node:crypto';

/** Six hexadecimal digits of a text. Who does not know the salt cannot find the text by trying. */
export function shortHash(salt: string): (text: string) => string {
  return (text) => createHmac('sha256', salt).update(text).digest('hex').slice(0, 6);
}
