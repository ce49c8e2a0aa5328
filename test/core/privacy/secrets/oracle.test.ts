// Another program's opinion: whatever secretlint takes for a secret has to be gone.
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { expect, test } from 'vitest';
import { redactSecrets } from '../../../../src/lib.js';
import { contexts, led, letters, privateKeys, shapes } from './specimens.js';

async function found(text: string) {
  const { messages } = await lintSource({
    source: { content: text, filePath: 'a.txt', ext: '.txt', contentType: 'text' },
    options: {
      noPhysicFilePath: true,
      config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] },
    },
  });
  return messages.map(({ ruleId, messageId, range: [start, end] }) => ({
    ruleId,
    messageId,
    text: text.slice(start, end),
  }));
}

const more = [
  `aws_secret_access_key = "${letters(40)}"`,
  `AWS_SECRET_ACCESS_KEY=${letters(40)}`,
  `//registry.example.org/:_authToken=${letters(36)}`,
  `mysql://ada:${letters(12)}@db.example.org:3306/shop`,
  `mongodb+srv://ada:${letters(12)}@db.example.org/shop`,
  `postgres://ada:${letters(12)}@db.example.org/shop`,
  `https://ada:${letters(12)}@example.org/a`,
];

test('what secretlint finds is redacted', async () => {
  const inContexts = Object.values(shapes).flatMap((secret) =>
    Object.values(contexts).map((text) => text.replaceAll('§', () => secret)),
  );
  const texts = [...inContexts, ...Object.values(led).map(({ text }) => text), ...Object.values(privateKeys), ...more];
  // In few texts: a call takes longer than a look.
  const corpus = Array.from({ length: Math.ceil(texts.length / 50) }, (_, at) =>
    texts.slice(at * 50, at * 50 + 50).join('\n\n'),
  );
  const before = (await Promise.all(corpus.map(found))).flat();
  expect(before.length).toBeGreaterThan(500);
  expect(new Set(before.map(({ ruleId }) => ruleId)).size).toBeGreaterThan(8);
  const left = (await Promise.all(corpus.map((text) => found(redactSecrets(text))))).flat();
  // A URL whose user and password were replaced is still one with a user to it.
  expect(left.filter(({ text }) => !text.includes('[redacted:'))).toEqual([]);
});
