// What stands for a name, for `--anonymize`.

export const standInKinds = {
  path: 'each name in an absolute path, a ~ path, a path on a Windows drive or share, or a file:// URL; extensions and the first folder (/home, /tmp) stay',
  user: 'the owner of a home folder, the user before @host, the name and address of a git author, user.name=…, USER=…, users in /etc/passwd, in what id, who, ps and ls -l print, after su, psql -U and the like; people in copyright lines, greetings and fields such as "login"',
  host: 'the host of a URL or a Windows share, the host after user@, HOSTNAME=…, hosts that end in .internal, .local and the like; localhost and example.org stay',
  repo: 'the owner and name of a repository: in a URL of git, GitHub, GitLab, Bitbucket or Codeberg, an image of a registry, repos/o/r, github:o/r, o/r#12, and after --repo',
  branch:
    'a branch, after the words of git that precede one and in fields of that name; main, master, develop and the like stay',
  server: 'the name of an MCP server, also in the names of its tools',
} as const;

type StandInKind = keyof typeof standInKinds;

/** The stand-in for a text: its kind and six digits. */
export type Put = (kind: StandInKind, text: string) => string;

export function isStandIn(text: string): boolean {
  return /^(?:path|user|host|repo|branch|server)-[0-9a-f]{6}(?:\.[A-Za-z0-9]{1,6})?$/.test(text);
}

/** A stand-in, and the range of text it replaces. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}
