import { expect, test } from 'vitest';
import { lazily } from '../../../src/core/record/fields.js';

test.each([[{}], [undefined], [null], [0]])('%j is made when first asked for, and once', (value) => {
  let made = 0;
  const get = lazily(() => {
    made += 1;
    return value;
  });
  expect(made).toBe(0);
  expect([get(), get()]).toEqual([value, value]);
  expect(made).toBe(1);
});
