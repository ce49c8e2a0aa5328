import { describe, expect, test } from 'vitest';
import { matches } from '../../../src/core/wire/interest.js';

describe('globs', () => {
  test.each([
    ['*', 'team:created', true],
    ['team:*', 'team:member:idle', true],
    ['team:*', 'teams', false],
    ['team:*:idle', 'team:member:idle', true],
    ['*:idle', 'team:member:idle', true],
    ['team:created', 'team:created', true],
    ['team:created', 'team:created2', false],
    ['team', 'team:created', false],
    ['t.am:*', 'team:created', false],
    ['(team|x):*', 'team:created', false],
    ['team:?reated', 'team:created', false],
    ['', 'team:created', false],
    ['a*a', 'a', false],
    ['*a*', 'team', true],
    ['team:**:*idle', 'team:member:idle', true],
    ['*e*m*b*i*', 'team:member:idle', true],
    ['*m*t*', 'team:member:idle', false],
    ['*'.repeat(50_000), 'team:member:idle', true],
    [`${'*'.repeat(50_000)}a`, 'team:member:idle', false],
    ['*e'.repeat(50_000), 'team:member:idle', false],
  ])('%.40s and %s: %s', (glob, name, expected) => {
    expect(matches(glob, name)).toBe(expected);
  });
});
