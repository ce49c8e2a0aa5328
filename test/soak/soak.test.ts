import { expect, test } from 'vitest';
import { runs } from '../effort.js';
import { cct } from '../run.js';
import { checks } from './checks.js';
import { chunks } from './chunks.js';
import { World } from './world.js';

const records = runs(1500, 4000);

test.each(checks.map((check) => ({ ...check, name: check.words.join(' ') })))(
  '$name says of many records what was in them',
  async ({ words, plan, expected, counter }) => {
    const world = new World({ ...plan, steps: Math.min(plan.steps, 250) });
    const { code, stdout } = await cct(words, chunks(world.lines(() => world.known.records > records)));
    const { row, found } = counter();
    for (const line of stdout.split('\n')) if (line !== '') row(JSON.parse(line));
    expect({ code, ...found() }).toEqual({ code: 0, ...expected(world.known) });
  },
);
