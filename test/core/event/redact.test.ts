// Made up, and put together here so that no scanner takes this file for a leak.
import { describe, expect, test } from 'vitest';
import { secretKinds } from '../../../src/core/event/redact.js';
import { redactSecrets } from '../../../src/lib.js';
import { cpuSeconds } from '../../cpu-seconds.js';

const letters = (length: number) => 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zC'.repeat(4).slice(0, length);
const hex = (length: number) => '0123456789abcdef'.repeat(4).slice(0, length);
const capitals = 'Q3ERTY7UIOPAS5DF';
const jwt = `eyJ${letters(20)}.eyJ${letters(30)}.${letters(27)}`;
const pem = (kind: string) =>
  `-----BEGIN ${kind}PRIVATE KEY-----\nMIIE${letters(60)}\nq9==\n-----END ${kind}PRIVATE KEY-----`;

/** By their own look. */
const shaped: readonly (readonly [kind: string, secret: string])[] = [
  ['anthropic-key', `sk-ant-api03-${letters(93)}AA`],
  ['openai-key', `sk-${letters(48)}`],
  ['openai-key', `sk-proj-${letters(40)}_-${letters(20)}`],
  ['github-token', `ghp_${letters(36)}`],
  ['github-token', `ghs_${letters(36)}`],
  ['github-token', `github_pat_${letters(22)}_${letters(59)}`],
  ['gitlab-token', `glpat-${letters(20)}`],
  ['slack-token', `xoxb-1234567890-1234567890123-${letters(24)}`],
  ['aws-key', `AKIA${capitals}`],
  ['google-key', `AIza${letters(35)}`],
  ['google-key', `ya29.${letters(60)}`],
  ['stripe-key', `sk_live_${letters(24)}`],
  ['stripe-key', `rk_test_${letters(24)}`],
  ['npm-token', `npm_${letters(36)}`],
  ['pypi-token', `pypi-AgEIcHlwaS5vcmc${letters(60)}`],
  ['api-key', `hf_${letters(34)}`],
  ['api-key', `SG.${letters(22)}.${letters(43)}`],
  ...[
    'gsk_',
    'xai-',
    'pplx-',
    'sk-or-v1-',
    'tvly-',
    'lsv2_pt_',
    'pcsk_',
    'dop_v1_',
    'dckr_pat_',
    'lin_api_',
    'ntn_',
  ].map((prefix) => ['api-key', `${prefix}${letters(40)}`] as const),
  ...[
    'figd_',
    'ATATT3',
    'PMAK-',
    'shpat_',
    'sbp_',
    'pscale_tkn_',
    'glsa_',
    'sntrys_',
    'hvs.',
    'dp.pt.',
    'AGE-SECRET-KEY-',
  ].map((prefix) => ['api-key', `${prefix}${letters(40)}`] as const),
  ['api-key', `r8_${letters(37)}`],
  ['api-key', `key-${hex(32)}`],
  ['api-key', `dapi${hex(32)}`],
  ['api-key', `123456789:AA${letters(33)}`],
  ['jwt', jwt],
  ['private-key', pem('')],
  ['private-key', pem('RSA ')],
  ['private-key', pem('OPENSSH ')],
  ['private-key', `-----BEGIN EC PRIVATE KEY-----\\nMHcC${letters(60)}\\n${letters(40)}`],
];

/** By what stands before them. */
const led: readonly (readonly [text: string, redacted: string])[] = [
  ['password=hunter2', 'password=[redacted:password]'],
  ['PGPASSWORD=hunter2 psql -h db', 'PGPASSWORD=[redacted:password] psql -h db'],
  ['export API_KEY="abc def', 'export API_KEY="[redacted:password] def'],
  ['{"password":"hunter2","user":"ada"}', '{"password":"[redacted:password]","user":"ada"}'],
  ['{\\"client_secret\\": \\"h2\\\\u0041x\\"}', '{\\"client_secret\\": \\"h2\\\\u0041x\\"}'],
  ['{\\"client_secret\\": \\"hunter22\\"}', '{\\"client_secret\\": \\"[redacted:password]\\"}'],
  ["const token = 'abc123def';", "const token = '[redacted:password]';"],
  ['db:\n  password: correcthorse\n  port: 5432', 'db:\n  password: [redacted:password]\n  port: 5432'],
  ['mysql --user root --password s3cret db', 'mysql --user root --password [redacted:password] db'],
  ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', 'aws_secret_access_key = [redacted:password]'],
  ['GET /x?access_token=abc123&page=2', 'GET /x?access_token=[redacted:password]&page=2'],
  ['AccountName=a;AccountKey=abc/def+123==;Suffix=b', 'AccountName=a;AccountKey=[redacted:password];Suffix=b'],
  ['Authorization: Bearer abc.def-123', 'Authorization: Bearer [redacted:authorization]'],
  ['curl -H "authorization: Basic dXNlcjpwYXNz" x', 'curl -H "authorization: Basic [redacted:authorization]" x'],
  [`Bearer ${letters(32)}`, 'Bearer [redacted:authorization]'],
  ['git clone https://ada:hunter2@host/x.git', 'git clone https://[redacted:credentials]@host/x.git'],
  ['redis://:hunter2@cache:6379', 'redis://[redacted:credentials]@cache:6379'],
  [`https://${letters(40)}@github.com/o/r`, 'https://[redacted:credentials]@github.com/o/r'],
  [
    'https://hooks.slack.com/services/T012AB3CD/B012AB3CD/x1y2z3',
    'https://hooks.slack.com/services/[redacted:slack-token]',
  ],
];

const innocent: readonly string[] = [
  '8f14e45f-ceea-467f-a8d2-9c1b1c2f3a4b',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'msg_01XFDUDYJgAACzvnptvVoYEL',
  'toolu_01A09q90qw90lq917835lq9',
  'req_011CSHoEeqs5C35K2UUqR7Fy',
  'a1b2c3d4e5f6a7b8c',
  'claude-sonnet-4-5-20250929',
  `iVBORw0KGgoAAAANSUhEUgAA${letters(100)}+/AKIA${capitals}/eyJ${letters(40)}==`,
  'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DQKPFyVWzsi==',
  'sk-learn and sk-estimator-parameters-of-a-long-name',
  'npm_config_registry npm_lifecycle_event npm_package_json',
  'pypi-mirror',
  'figd_ gsk_ ntn_x hf_hub_download lin_api_url xai-grok-beta pplx-70b-online key-value-store-of-the-browser-x',
  'dapi0123 r8_short 12:AA 1700000000:AAPL sntrys_',
  'git@github.com:owner/repo.git ssh://git@github.com/owner/repo https://user@host/x',
  'http://localhost:3000/a@b mailto:ada@example.org http://host:80/@scope/pkg',
  'max_tokens=4096 total_tokens: 1200 tokens=7 input_tokens":12',
  'function login(user: string, password: string): Promise<Token>',
  'password = getPassword(user) token=self.token api_key=api_key secret=process.env.SECRET',
  `PASSWORD=$PASSWORD TOKEN=\${TOKEN} API_KEY=<your key> password=*** token={{token}}`,
  `postgres://user:$PASSWORD@db/x https://ada:\${TOKEN}@host`,
  'the password: is required. A token: what the lexer yields',
  'PWD=/home/ada OLDPWD=/tmp',
  'Bearer of the longest-possible-sentence-in-town',
  'Authorization: none',
  'the marker -----BEGIN CERTIFICATE----- is public -----END CERTIFICATE-----',
];

test('every kind that the man page lists is here', () => {
  const kinds = new Set([
    ...shaped.map(([kind]) => kind),
    ...led.map(([, text]) => /\[redacted:(.*?)\]/.exec(text)?.[1]),
  ]);
  expect(Object.keys(secretKinds).filter((kind) => !kinds.has(kind))).toEqual([]);
});

describe('secrets go', () => {
  test.each(shaped)('%s: %s', (kind, secret) => {
    expect(redactSecrets(secret)).toBe(`[redacted:${kind}]`);
    expect(redactSecrets(`key is "${secret}", keep it`)).toBe(`key is "[redacted:${kind}]", keep it`);
    expect(redactSecrets(`export K=${secret}\nnext`)).toBe(`export K=[redacted:${kind}]\nnext`);
    expect(redactSecrets(`{"k":"${secret}"}`)).toBe(`{"k":"[redacted:${kind}]"}`);
    expect(redactSecrets({ a: [{ b: `(${secret})` }] })).toEqual({ a: [{ b: `([redacted:${kind}])` }] });
  });

  test.each(led)('%s', (text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted);
  });

  test('under a name that says so, whatever it looks like', () => {
    const env = { DB_PASSWORD: 'correct horse', apiKey: 'short', nested: { refreshToken: 'abc' }, Authorization: 'y' };
    expect(redactSecrets(env)).toEqual({
      DB_PASSWORD: '[redacted:password]',
      apiKey: '[redacted:password]',
      nested: { refreshToken: '[redacted:password]' },
      Authorization: '[redacted:password]',
    });
  });

  test('where a key of an object is one', () => {
    expect(redactSecrets({ [`sk-ant-api03-${letters(40)}`]: 1 })).toEqual({ '[redacted:anthropic-key]': 1 });
  });

  test('once', () => {
    const text = `password=hunter2 sk-ant-api03-${letters(40)} https://a:b1c@h ${jwt} ${pem('')}`;
    const once = redactSecrets({ token: 'abcdef', text });
    expect(redactSecrets(once)).toEqual(once);
  });
});

describe('the innocent stay', () => {
  test.each(innocent)('%s', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  test('names of the wire that only sound like secrets', () => {
    const record = {
      apiKeySource: 'ANTHROPIC_API_KEY',
      api_key_source: 'none',
      usage: { input_tokens: 3, max_tokens: 5 },
      token_type: 'opaque thing',
      token: null,
      password: '',
      signature: `EqQB${letters(120)}==`,
      key: 'value',
    };
    expect(redactSecrets(record)).toEqual(record);
  });

  test('numbers, booleans, null, keys and their order', () => {
    const text = '{"z":1,"a":[true,null,1.5,"x"],"__proto__":{"password":"[redacted:password]"}}';
    expect(JSON.stringify(redactSecrets(JSON.parse(text)))).toBe(text);
  });
});

test.each([
  ['jwt', '-eyJ'],
  ['pem', '-----BEGIN PRIVATE KEY-----'],
  ['pem body', '-----BEGIN PRIVATE KEY-----\n'.padEnd(80, 'A')],
  ['names', 'password'],
  ['dashes', '--'],
  ['dots', '-.'],
  ['urls', 'http://a'],
  ['user', 'a://b:'],
  ['keys', 'sk-ant-'],
  ['spaces', 'authorization: '],
  ['letters', 'a'],
])('a hostile megabyte of %s takes no time', (_name, piece) => {
  const text = piece.repeat(1_000_000 / piece.length);
  // Milliseconds; it would be minutes if every place were looked at from every other.
  expect(cpuSeconds(() => redactSecrets(text))).toBeLessThan(5);
});
