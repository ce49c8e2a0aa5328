import { test } from 'vitest';
import { type Family, joined } from './families.js';
import type { Input } from './inputs.js';

/** `turn` is the place of the input in its list, for a law that takes turns. */
type Law = (input: Input, turn: number) => void | Promise<void>;
type OneLaw = (input: Input) => void | Promise<void>;

/** A test for each input. If a family breaks the law, the failure names the specimen. */
export function testEach(inputs: readonly Input[], law: Law): void {
  test.each(inputs.map((input, turn) => ({ name: input.name, input, turn })))('$name', ({ input, turn }) =>
    holds(input, (each) => law(each, turn)),
  );
}

export async function holds(input: Input, law: OneLaw): Promise<void> {
  const error = await failure(input, law);
  if (error === null) return;
  if (isFamily(input)) error.message = `${await culprit(input, law)}: ${error.message}`;
  throw error;
}

/** The specimens that fail by themselves, or the first one after which the stream fails. */
async function culprit({ name, specimens }: Family, law: OneLaw): Promise<string> {
  const alone: string[] = [];
  for (const specimen of specimens) if ((await failure(specimen, law)) !== null) alone.push(specimen.name);
  if (alone.length > 0) return alone.join(', ');
  for (const [index, specimen] of specimens.entries()) {
    const before = joined(name, specimens.slice(0, index + 1));
    if ((await failure(before, law)) !== null) return `${specimen.name}, behind others of ${name}`;
  }
  return name;
}

async function failure(input: Input, law: OneLaw): Promise<Error | null> {
  try {
    await law(input);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isFamily(input: Input): input is Family {
  return 'specimens' in input;
}
