import { describe, expect, test } from 'vitest';
import { createAnonymizer } from '../../../src/core/privacy/anonymize.js';
import { shortHash } from '../../../src/io/hash.js';
import { cpuSeconds } from '../../cpu-seconds.js';
import { runs } from '../../effort.js';

const anonymize = (text: string, salt = '') => createAnonymizer(shortHash(salt))(text);
/** Numbered instead of hashed, to be read. */
const shown = (text: string) => {
  const known = new Map<string, string>();
  const number = (said: string) => {
    const digits = known.get(said) ?? String(known.size + 1).padStart(6, '0');
    known.set(said, digits);
    return digits;
  };
  return createAnonymizer(number)(text).replace(/-0{5}/g, '');
};

const replaced: readonly (readonly [text: string, anonymous: string])[] = [
  ['/home/ada/shop/src/a.ts', '/home/user1/path2/path3/path4.ts'],
  ['see /home/ada/shop/a.ts:12:3.', 'see /home/user1/path2/path3.ts:12:3.'],
  ['/Users/ada/shop and /Users/ada/shop/x', '/Users/user1/path2 and /Users/user1/path2/path3'],
  ['(/srv/shop/.env)', '(/srv/path1/path2)'],
  ['/workspace', '/path1'],
  ['~/shop/y.md and ~bob/z', '~/path1/path2.md and ~user3/path4'],
  ['C:\\Users\\ada\\x.txt', 'C:\\Users\\user1\\path2.txt'],
  ['C:\\\\Users\\\\ada\\\\x.txt', 'C:\\\\Users\\\\user1\\\\path2.txt'],
  ['D:/shop/y', 'D:/path1/path2'],
  ['/mnt/c/Users/ada/x', '/mnt/path1/Users/user2/path3'],
  ['file:///home/ada/x', 'file:///home/user1/path2'],
  ['file:///C:/Users/ada/x', 'file:///C:/Users/user1/path2'],
  ['"/Users/ada/My shop/x.ts"', '"/Users/user1/path2/path3.ts"'],
  ['/Users/ada/My\\ shop/x', '/Users/user1/path2/path3'],
  ['a\\n/home/ada/x\\nb', 'a\\n/home/user1/path2\\nb'],
  ['gcc -I/home/ada/inc', 'gcc -I/home/user1/path2'],
  ['PATH=/home/ada/bin:/usr/bin/x', 'PATH=/home/user1/path2:/usr/bin/x'],
  ['/home/ada/app/(shop)/[id]/page.tsx', '/home/user1/path2/path3/path4/path5.tsx'],
  ['.claude/projects/-home-ada-shop/x.jsonl', '.claude/projects/path1/x.jsonl'],
  ['https://ada:pw@db.corp.net:8443/a/b?c=d', 'https://user1@host2:8443/path3'],
  ['see https://wiki.corp.net.', 'see https://host1.'],
  ['https://github.com/Acme/shop/blob/main/a.ts', 'https://host1/repo2/path3'],
  ['https://api.github.com/repos/acme/shop/pulls', 'https://host1/repo2/path3'],
  ['git@github.com:acme/shop.git', 'git@host1:repo2.git'],
  ['ssh://git@git.corp.net/acme/shop.git', 'ssh://git@host1/repo2.git'],
  ['import "github.com/acme/shop"', 'import "host1/repo2"'],
  ['gh pr list --repo acme/shop', 'gh pr list --repo repo1'],
  ['GITHUB_REPOSITORY=acme/shop', 'GITHUB_REPOSITORY=repo1'],
  ['ada@corp.net', 'user1@host2'],
  ['ssh ada@10.0.0.7', 'ssh user1@host2'],
  ['ada@laptop:~/shop$ ls', 'user1@host2:~/path3$ ls'],
  ['Author: Ada Lovelace <ada@corp.net>', 'Author: user1 <user2@host3>'],
  ['USER=ada HOSTNAME=box1', 'USER=user1 HOSTNAME=host2'],
  ['Linux box1 6.1.0-13-amd64', 'Linux host1 6.1.0-13-amd64'],
];

const kept: readonly string[] = [
  '/help /compact and /clear are commands',
  'and/or 1/2 2026/11/16 a/b/c.ts src/home/page.tsx ./x ../y',
  '</div> <br/> // a comment /* another */ s/a/b/g application/json',
  '/dev/null /dev/stdin /usr/bin/env /bin/sh #!/usr/bin/env /proc/1/status',
  'researcher@report-crew team-lead@session-3b2f1c9e',
  'left-pad@1.2.3 @scope/name actions/checkout@v4 alpine@sha256:0123abcd',
  'http://localhost:3000/a/b http://127.0.0.1:8080/x https://example.org/a',
  'Q:\\nWhat? A:\\nNothing',
  'toolu_01A09q90qw90lq917835lq9 msg_01XFDUDYJgAACzvnptvVoYEL 8f14e45f-ceea-467f-a8d2-9c1b1c2f3a4b',
  'claude-sonnet-4-5-20250929 feature/anonymize main 9fceb02d0ae598e95dc970b74767f19372d61af8',
  '12:30:00 a: b, c:d x=y $HOME/x https://$HOST/x',
];

test.each(replaced)('%s', (text, anonymous) => {
  expect(shown(text)).toBe(anonymous);
});

test.each(kept)('stays: %s', (text) => {
  expect(anonymize(text)).toBe(text);
});

test.each(replaced)('a second time nothing changes: %s', (text) => {
  const once = anonymize(text);
  expect(anonymize(once)).toBe(once);
  expect(anonymize(once, 'other salt')).toBe(once);
});

describe('a stand-in', () => {
  test('is the same whatever came before, and has its kind and six digits', () => {
    const one = createAnonymizer(shortHash(''));
    one('/home/bob/other/x.ts');
    expect(one('/home/ada/shop')).toBe(anonymize('/home/ada/shop'));
    expect(anonymize('/home/ada/shop')).toMatch(/^\/home\/user-[0-9a-f]{6}\/path-[0-9a-f]{6}$/);
  });

  test('is one for all spellings of a repository', () => {
    const repositories = ['https://github.com/Acme/Shop', 'git@github.com:acme/shop.git', '--repo acme/shop'];
    expect(new Set(repositories.map((text) => /repo-[0-9a-f]{6}/.exec(anonymize(text))?.[0])).size).toBe(1);
  });

  test('is another with a salt', () => {
    expect(anonymize('/home/ada/shop', 'x')).not.toBe(anonymize('/home/ada/shop'));
    expect(anonymize('/home/ada/shop', 'x')).toBe(anonymize('/home/ada/shop', 'x'));
  });

  test('stands in fields that are paths or repositories as a whole, in keys and in lists', () => {
    const value = createAnonymizer(shortHash(''));
    const json = JSON.stringify(
      value({
        cwd: '/home/ada/my shop',
        files: { '/home/ada/x': ['/home/ada/y z'] },
        repository: 'acme/shop',
        agent_id: 'researcher@crew',
        git_branch: 'main',
      }),
    );
    expect(json).not.toMatch(/ada|shop|acme/);
    expect(json).toContain('"agent_id":"researcher@crew","git_branch":"main"');
    const used = new Set([...json.matchAll(/(?:path|user|host|repo)-[0-9a-f]{6}/g)].map(([name]) => name));
    expect([...used].map((name) => name.slice(0, 4)).sort()).toEqual(['path', 'path', 'path', 'repo', 'user']);
  });
});

test.each([
  '/',
  '/a',
  '/a/b',
  '~',
  '~/',
  'C:\\',
  'C:\\a',
  '@',
  'a@',
  'a@b',
  'a@b.',
  'a.',
  'a@b.c:',
  '-home-a',
  '://',
  'a://',
  'http://a',
  'http://a@',
  'http://a/',
  'http://a.b/c',
  '"/a ',
  '"/home/a b',
  "'/a/b ",
  '/a/(',
  '/a/[',
  '\\',
  '\\n/a/b',
  'github.com/',
  'github.com/a/b',
  '--repo a/',
  'Author: a ',
  'Author: a <',
  'USER=',
  'HOST=a',
  'Linux a 6.',
  '\\\\a\\b',
  'a/b#1',
  'a:x:1:1:',
  'a:x:1000:1:',
  'uid=1(',
  'uid=1(a),',
  '-rw-r--r-- 1 ',
  '/Users/A B',
  '/Users/A B/',
  '[user]\nname = ',
  'user.name=A ',
  'mcp__a',
  'origin/',
  'git checkout ',
  '[new branch] a -> ',
  '1a2b3c4..5d6e7f8 ',
  '1a2b3c4 (',
  '[a 1a2b3c4',
  'ghcr.io/',
  'user: ',
  'user=a ',
  '"user": "',
  '<user>',
  'a_host=',
  'a.com',
  'a-b.com ',
  '10.0.0.',
  'fe80::',
  'ssh -a ',
  'server a-',
  'a-mbp',
  'ip-1-1-1-1-',
  'CN=a,',
  'my name is A B ',
  'created by A ',
  'cc @a, ',
  'TODO(a',
  '"name": "@a/',
  'psql -h a -U ',
  '~a ',
  'To a:b/',
  'arn:a:b:c:',
  ' ',
  'a',
  '.',
  '-',
])('a long run of %s takes time in proportion to it', (piece) => {
  const short = runs(1 << 14, 1 << 20);
  const time = (length: number) =>
    Math.min(...[1, 2].map(() => cpuSeconds(() => anonymize(piece.repeat(length / piece.length)))));
  expect(time(8 * short)).toBeLessThan(24 * time(short) + 0.2);
});
