import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { redactSecrets } from '../../../../src/lib.js';
import { cpuSeconds } from '../../../cpu-seconds.js';
import { runs } from '../../../effort.js';
import { ways } from './contexts.js';
import { led, pemLines, shapes } from './specimens.js';

/** Long runs of what each pattern likes: its beginning, its middle without an end, the signs before and behind it. */
const hostile: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'a',
      '0',
      'A',
      '-',
      '_',
      '.',
      '/',
      '+',
      '=',
      ' ',
      '\t',
      '\n',
      '\\',
      '"',
      "'",
      '`',
      ':',
      '@',
      '%',
      '[',
      '<',
      '{',
      '$',
    ].map((sign) => [sign, sign]),
  ),
  'beginnings of tokens': '-eyJ',
  'parts of tokens': 'eyJaaaaaaaaaa.',
  'beginnings of keys': '-----BEGIN PRIVATE KEY-----',
  'beginnings and lines of keys': '-----BEGIN PRIVATE KEY-----\n'.padEnd(80, 'A'),
  'ends of keys': `${'A'.repeat(64)}\n-----END PRIVATE KEY-----\n`,
  'lines of keys': `${'A'.repeat(64)}\n`,
  'escaped lines of keys': `${'A'.repeat(64)}\\n`,
  putty: 'Private-Lines: 9',
  names: 'password',
  'names and signs': 'password=',
  'names and colons': 'password: ',
  'names and quotes': 'password="',
  'names and escaped quotes': 'password=\\"',
  'names and placeholders': 'password=$A',
  'names and values': '"name":"token","value":',
  elements: '<password>',
  flags: '--password ',
  logins: 'login a password ',
  'numbers of lines': '12→token: ',
  'files and lines': 'a:12:token = ',
  'headers in quotes': '"x-api-key: ',
  authorization: 'authorization: ',
  'authorization and a scheme': 'authorization: digest ',
  'authorization in quotes': '"authorization":"',
  bearer: 'bearer ',
  cookies: 'cookie: a=bbbbbbb',
  addresses: 'http://a',
  'addresses with users': 'a://b:c',
  users: 'a://b:c@',
  'user flags': '-u a:',
  mysql: 'mysql a -h b ',
  docker: '"auth": "',
  signatures: '?sig=',
  'dotted words': `M${'a'.repeat(24)}.`,
  'numbers with colons': '123456789:AA',
  hexes: '0123456789abcdef',
  'a colour': '\u001b[32m',
};

const pieces = {
  ...hostile,
  ...shapes,
  ...Object.fromEntries(Object.entries(led).map(([name, { text }]) => [name, text])),
  // Ways of writing "is" without a value, so that every name is read and none is replaced.
  ...Object.fromEntries(ways.map((way) => [`names and ${way}`, way.replace('¤', 'token').split('§')[0] ?? ''])),
  'tables without an end': 'a|password|b\n',
  'kinds of secrets': 'kind: Secret\ndata:\n',
  programs: 'docker login curl -u ',
  'values before names': '"value":"a","name":"token",',
  'colours of names': '\u001b[31mtoken\u001b[0m is ',
  'addresses with slashes': 'a://b:c/d',
  'addresses of Go': 'a:bcd@tcp(',
  'addresses of Oracle': 'oracle:thin:a/',
  'texts in texts': '{"out":"a","b":"',
  'quotes in texts': '\\\\\\"a\\\\\\"',
  'signs in percents': '%22a%3D',
  'numbers of many lines': '    12→a\n',
  'users and flags': 'x -u a -p ',
  'secrets and values': 'secret --value ',
  'names before <<<': 'token <<',
  'data of secrets': 'kind: Secret\n  data:\n    a: bcd\n',
  'columns apart by blanks': 'A  TOKEN\n',
  functions: 'jwt.sign("',
  'echoes and pipes': 'echo a | ',
  'names in code': 'secret(a){b}',
  'names with a rest': 'token_a',
  'objects of secrets': 'secret: { a: b',
  'braces of secrets': 'secret: {{',
  'objects in objects': 'tokens: {a: "b1b2b3b4", ',
  'maps of passwords': 'passwords = {"a": "b", ',
  'texts put together': 'password = "abc" + "',
  'lines that go on': 'a \\\n',
  'mixed words': 'token a1b2c3d4e5 ',
  'words with digits': 'token base64utf8sha256',
  'users and passwords': 'add_user a b ',
  'logins and words': 'login a b ',
  sessions: 'x-session-',
  hooks: '://a/hook/',
  'here-strings': 'token <<< ',
  'functions that sign in': 'signIn("a", "',
  'passwords of a shell': '"abc" | ConvertTo-SecureString ',
  'expected texts': 'send "abcdef',
  'shown passwords': 'pwgen 1\n',
  'percents of users': ' -U a%',
  'flags nobody knows': ' -p abcdefgh',
  'values and types': ' --value a SecureString',
  'names among fields': '"name":"token","a":1,',
  'fields without a value': 'name: token, ',
  'names before values': 'value="a", name="',
  'brackets after names': 'token([{',
  'lists of names': '"password", ',
  'names in brackets': 'tokens: [',
  'lines below names': 'secret:\n  a: b\n',
  'users before passwords': 'auth = ("a", ',
  'quotes of two kinds': 'password = "a\' ',
  'commands that take secrets': 'rclone obscure a ',
  'functions that take secrets': 'connect("a", ',
  'tags after names': 'token</td><td>',
  'redacted before': 'password=[redacted:password] ',
  'jars of cookies': '\tTRUE\t/\tTRUE\t0\ta\t',
  'words in sentences': 'the password for a ',
};

test.each(Object.entries(pieces).filter(([, piece]) => piece !== ''))(
  '%s: twice the text takes about twice the time',
  (_name, piece) => {
    const short = runs(1 << 13, 1 << 20);
    const time = (length: number) => cpuSeconds(() => redactSecrets(piece.repeat(Math.ceil(length / piece.length))));
    // Eight times as long; sixty-four times if every place were looked at from every other.
    const limit = 24 * time(short) + 0.2;
    const once = time(8 * short);
    expect(once < limit ? once : time(8 * short)).toBeLessThan(limit);
  },
);

test('one secret of 8 MB, of every kind that may be long', () => {
  const long = 'aB3d'.repeat(1 << 21);
  const texts = [
    `Bearer ${long}`,
    `sk-ant-${long}`,
    `password=${long}`,
    `password="${long}`,
    `eyJaaaaaaaaa.eyJ${long}.a`,
    `https://a:${long}@h`,
    `Authorization: ApiKey ${long}`,
    `${pemLines()[0]}\n${long}`,
    `{"password":"${long}"}`,
  ];
  for (const text of texts) expect(redactSecrets(text).length, text.slice(0, 20)).toBeLessThan(200);
});

// A loop without bounds keeps a place to go back to for each character, and the stack for them overflows.
test('no pattern has a loop without bounds over what may be long', () => {
  const folder = 'src/core/privacy/secrets';
  const source = readdirSync(folder)
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .join('\n');
  const code = source.replace(/^\s*(?:\/\/|\/\*\*|\*).*$/gm, '');
  const patterns = [...code.matchAll(/\/(?![/*])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n])+\/[a-z]*(?=[.,;)\s])/g)].map(
    ([text]) => text,
  );
  expect(patterns.length).toBeGreaterThan(40);
  // Those with ^ and $ look at pieces that were cut to a few hundred characters before.
  const loops = patterns.filter(
    (text) => /(?<!\\)[*+](?![^[]*\])|\{[0-9]+,\}/.test(text) && !/^\/\^.*\$\/i?$/.test(text),
  );
  expect(loops).toEqual([]);
});
