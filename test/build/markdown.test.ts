import { expect, test } from 'vitest';
import { readPage } from '../../.build/markdown.js';

test('paragraphs, lists, examples and sections', () => {
  const text = `# name: what it is: short

Words that go on
in the next line, with \`code\`.

- \`one\`: first: the
  beginning
- \`--two\`: second

## NEXT

What it does:

\`\`\`sh its-name
a \\

  b
\`\`\`
`;
  expect(readPage(text)).toEqual({
    name: 'name',
    summary: 'what it is: short',
    sections: [
      {
        title: '',
        parts: [
          'Words that go on in the next line, with code.',
          [
            ['one', 'first: the beginning'],
            ['--two', 'second'],
          ],
        ],
      },
      { title: 'NEXT', parts: [{ does: 'What it does:', run: 'a \\\n\n  b', name: 'its-name' }] },
    ],
  });
});

test('a list without terms is an error, and not silently a text', () => {
  expect(() => readPage('# a: b\n\n- something\n')).toThrow('not an entry of a list: - something');
});
