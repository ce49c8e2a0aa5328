// Made up, and put together here so that no scanner takes this file for a leak.
import { describe, expect, test } from 'vitest';
import { secretKinds } from '../../../src/core/privacy/redact.js';
import { redactSecrets } from '../../../src/lib.js';
import {
  contexts,
  givings,
  gutters,
  keyPieces,
  led as leads,
  letters,
  names,
  pemLines,
  privateKeys,
  shapes,
} from './secrets/specimens.js';

const jwt = shapes['jwt'] ?? '';

/** By what stands before them. */
const led: readonly (readonly [text: string, redacted: string])[] = [
  ['password=hunter2', 'password=[redacted:password]'],
  ['PGPASSWORD=hunter2 psql -h db', 'PGPASSWORD=[redacted:password] psql -h db'],
  ['export API_KEY="abc def', 'export API_KEY="[redacted:password]'],
  ['export API_KEY="abc def" B=1', 'export API_KEY="[redacted:password]" B=1'],
  ['{"password":"hunter2","user":"ada"}', '{"password":"[redacted:password]","user":"ada"}'],
  ['{\\"client_secret\\": \\"h2\\\\u0041x\\"}', '{\\"client_secret\\": \\"[redacted:password]\\"}'],
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
  `iVBORw0KGgoAAAANSUhEUgAA${letters(100)}+/AKIA${'Q3ERTY7UIOPAS5DF'}/eyJ${letters(40)}==`,
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
  'Authorization: the process of granting access to a resource',
  'session_id 3b2f1c9e-8d47-4f0a-9a51-0c6d2e7f4b18 parent_tool_use_id toolu_015QpFqCkQvJr2gY5u7b8n9m',
  'srvtoolu_01WYG3ziw53XMcoyKL4XcZmE msgbatch_01HkcTjaV5uDC8jWR4ZsDV8d file_011CNha8iCJcU1wXNR6q4V8w',
  'commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (HEAD -> main, tag: v1.2.3)',
  'index 83db48f..bf269f4 100644',
  'claude-opus-4-5-20251101[1m] claude-3-7-sonnet-latest us.anthropic.claude-sonnet-4-5-20250929-v1:0 gpt-5.1-codex-max',
  '/home/ada/projects/api-key-service/src/token.ts /etc/ssl/private/server.key C:\\Users\\ada\\secrets\\token.json',
  'agent-a1b2c3d4e5f6a7b8 researcher@report-crew team-lead@session-3b2f1c9e',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'integrity sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 ada@laptop',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
  '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----',
  'npm install --save-dev @secretlint/core token-types passport-local password-validator',
  'docker run -u 1000:1000 -v /a:/b image; docker exec -u node:node x; chown -R ada:staff .',
  'the secret to a good password is its length; a token is what a lexer yields',
  'Invalid token: unexpected end of input. Bad credentials: try again. Wrong password: 3 tries left',
  'SyntaxError: Unexpected token } in JSON at position 12',
  'if (token === "function") return; switch (token) { case 1: }',
  'const { password, token } = req.body; type Secret = string; interface Token { kind: Kind; }',
  'token: Token; secret: Buffer; password?: string; credentials: Credentials | null,',
  "console.log('password:', password); printf('token: %s', token)",
  `headers.authorization = 'Basic ' + encode(pair); headers.set('Authorization', "Bearer \${token}")`,
  '["password","username","token","api_key"] and {"name":"password","type":"string"}',
  'primary_key=id foreign_key: user_id PRIMARY_KEY=users_pkey sort_key=created_at key: value KEY=a',
  'input_cost_per_token: 3e-06, output_cost_per_token: 1.5e-05 cache_creation_input_token_cost: 3.75e-06',
  'context 84% used, 200k tokens; total_tokens: 120345, tokens: 12k, max_output_tokens=64000',
  'See https://docs.example.org/token?page=2 and https://example.org:8443/secret/path@v2',
  'https://user@example.org/x ssh://git@example.org:22/a/b http://[::1]:8080/x',
  'PASSWORD_FILE=/run/secrets/db TOKEN_TYPE=opaque API_KEY_HEADER=X-Api-Key',
  'password: <REDACTED> token: **** secret: "[hidden]" api_key: "xxxxxxxx" PASSWORD=changeme',
  'cookie: the small text a browser keeps. cookies=3',
  'eyJhbGciOiJIUzI1NiJ9 is the head of a token; a.b.c is none',
  'v1.2.3-rc.4+build.5 2026-11-16T02:00:00.000Z 192.168.0.1:8080 00:1A:2B:3C:4D:5E',
  'com.example.MyApplication.MainActivity org.apache.Mapper.Context.getConfiguration',
  'task-ant-colony-optimization-of-routes risk-proj-assessment-for-the-next-quarter desk-admin-tools-and-more-of-it',
  'hf_transformers_model_loading_utils rnd_generator_for_all_the_tests fc-match-something-very-long-in-kebab-case',
  'SKIPPED ACCEPTED AKIA short SK123 AC12 re_export_all_of_it_please_now',
  'mysql -h db -p shop; curl -u ada https://example.org; sshpass -e ssh x',
  'auth: required, "auth": "none", "auth":"oauth2222222", auth=true',
  'login: ada password reset needed; forgot your password? the pass: it snows. PASS 12 tests',
  'the marker -----BEGIN CERTIFICATE----- is public -----END CERTIFICATE-----',
];

test('every kind that the man page lists is here', () => {
  const texts = [...Object.values(shapes), ...Object.values(privateKeys), ...led.map(([text]) => text)];
  const kinds = new Set(
    texts.flatMap((text) => [...redactSecrets(text).matchAll(/\[redacted:(.*?)\]/g)].map(([, kind]) => kind)),
  );
  expect(Object.keys(secretKinds).filter((kind) => !kinds.has(kind))).toEqual([]);
});

describe('secrets go', () => {
  test.each(Object.entries(shapes))('%s, wherever it stands', (_whose, secret) => {
    // In an address what follows may look like more of it.
    const shown = (name: string, text: string) =>
      [name, /URL|percent/.test(name) ? text.replace(/(\[redacted\]).*$/s, '$1') : text] as const;
    const redacted = Object.entries(contexts).map(([name, text]) => {
      const left = redactSecrets(text.replaceAll('§', () => secret)).replace(/\[redacted:[a-z-]+\]/g, '[redacted]');
      return shown(name, left);
    });
    expect(redacted).toEqual(
      Object.entries(contexts).map(([name, text]) => shown(name, text.replaceAll('§', '[redacted]'))),
    );
  });

  test.each(Object.entries(givings))('by their name: %s', (_how, giving) => {
    const leaks = names.flatMap((name) =>
      ['hunter2hunter', 'correcthorse', 'p4$$w0rd!?'].flatMap((value) =>
        Object.entries(gutters)
          .map(([gutter, line]) => ({
            name,
            gutter,
            text: line.replace('§', () => giving.replaceAll('N', name).replace('§', () => value)),
          }))
          .filter(({ text }) => redactSecrets(text).includes(value.slice(0, 8))),
      ),
    );
    expect(leaks).toEqual([]);
  });

  test.each(Object.entries(leads))('by what leads to them: %s', (_name, { text, secret }) => {
    expect(redactSecrets(text)).not.toContain(secret);
    expect(redactSecrets(text)).toContain('[redacted:');
  });

  test.each(Object.entries(privateKeys))('a private key: %s', (_name, text) => {
    const redacted = redactSecrets(`before\n${text}`);
    expect(keyPieces.filter((piece) => redacted.includes(piece))).toEqual([]);
    expect(redacted).toContain('before\n');
  });

  test('what stands around a private key stays', () => {
    const key = pemLines().join('\n');
    expect(redactSecrets(`a\n${key}\nb`)).toBe('a\n[redacted:private-key]\nb');
    expect(redactSecrets(`${key}\nb\n${key}\nc`)).toBe('[redacted:private-key]\nb\n[redacted:private-key]\nc');
    const cut = pemLines().slice(0, 3).join('\n');
    expect(redactSecrets(`${cut}\n\n[3 more lines]`)).toBe('[redacted:private-key]\n\n[3 more lines]');
    expect(redactSecrets(`${cut}\nnext words`)).toBe('[redacted:private-key]\nnext words');
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
    const text = `password=hunter2 sk-ant-api03-${letters(40)} https://a:b1c@h ${jwt} ${pemLines().join('\n')}`;
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
