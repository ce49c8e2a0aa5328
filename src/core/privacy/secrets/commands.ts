// Finds secrets in the flags of programs whose names do not say that they are secret.
import type { Span } from './secrets.js';
import { isCode, isPlaceholder, isVariable, looksRandom, quotedAt, wordEnd } from './values.js';

interface Program {
  /** How the command begins. */
  readonly names: string;
  /** What precedes the secret, in the rest of the command. */
  readonly flags: string;
  readonly takes: 'word' | 'pair' | 'cookie';
}

/** A blank, =, nothing, or what separates the texts of a JSON list. */
const gap = '(?:["\'],\\s{0,8}(?=["\'])|[ \\t]{0,4}=?[ \\t]{0,4})';
const wide = '(?:[ \\t]{1,4}|=|["\'],\\s{0,8}(?=["\']))';
const flag = '(?:(?<=[\\s"\'])|^)';

const programs: readonly Program[] = [
  {
    names: 'curl|http|https|xh|wget',
    flags: `${flag}(?:-[a-zA-Z]{0,6}[uUa]|--user|--proxy-user|--auth)${gap}`,
    takes: 'pair',
  },
  { names: 'curl|wget', flags: `${flag}(?:-[a-zA-Z]{0,6}b|--cookie)${gap}`, takes: 'cookie' },
  {
    names:
      '(?:docker|podman|buildah|nerdctl|helm|oras|skopeo|crane|regctl|az|oc|cf|ibmcloud|faas-cli|argocd|npm)\\b[^\\n;|&]{0,80}?\\blogin',
    flags: `${flag}-p(?!ass|ort|ro)${gap}`,
    takes: 'word',
  },
  { names: 'skopeo|podman|buildah|oras', flags: `${flag}--(?:src-|dest-)?creds${gap}`, takes: 'pair' },
  { names: '(?:redis|valkey|keydb)-cli|redis-benchmark', flags: `${flag}-a${wide}`, takes: 'word' },
  { names: '(?:mysql|mariadb)[a-z-]{0,12}|7z[a-z]?|rar|unrar', flags: `${flag}-p(?=[^\\s=-])`, takes: 'word' },
  {
    names: 'sshpass|useradd|usermod|twine|curlftpfs|mosquitto_(?:pub|sub)',
    flags: `${flag}-p(?!ass|ort|ro)${gap}`,
    takes: 'word',
  },
  {
    names: 'mongo(?:sh|dump|restore|export|import)?|cypher-shell|influx|psexec|xfreerdp|rdesktop|clickhouse-client',
    flags: `${flag}(?:-p(?!ass|ort|ro)|/p:)${gap}`,
    takes: 'word',
  },
  { names: 'ldap(?:search|add|modify|delete|whoami|passwd|compare)', flags: `${flag}-[ws]${wide}`, takes: 'word' },
  { names: 'zip|unzip|sqlcmd|bcp|isql|ipmitool|ssh-keygen|osql', flags: `${flag}-[PN]${gap}`, takes: 'word' },
  { names: 'openssl', flags: `(?:${flag}-pass(?:in|out)?[ =]["']?pass:|${flag}-[kK] )`, takes: 'word' },
  { names: 'smbclient|rpcclient|smbget|mount\\.cifs', flags: `${flag}-U${gap}["']?[\\w.\\\\/-]{1,60}%`, takes: 'word' },
  { names: 'lftp|ncftp', flags: `${flag}-u${gap}["']?[\\w.@-]{1,60},`, takes: 'word' },
  {
    names: 'htpasswd',
    flags: `-[a-zA-Z]{0,5}b[a-zA-Z]{0,5} [^\\s]{1,100} [^\\s]{1,60} |-[a-zA-Z]{0,5}n[a-zA-Z]{0,3}b[a-zA-Z]{0,3} [^\\s]{1,60} `,
    takes: 'word',
  },
  { names: 'snmp(?:walk|get|set|bulkwalk)', flags: `${flag}-[AXc]${wide}`, takes: 'word' },
  { names: 'gh[ \\t]{1,4}(?:secret|variable)[ \\t]{1,4}set', flags: `${flag}(?:-b|--body)${gap}`, takes: 'word' },
  { names: 'kubectl|oc', flags: `--from-literal${wide}["']?[\\w.-]{1,80}=`, takes: 'word' },
  {
    names:
      '(?:vault[ \\t]{1,4}(?:kv[ \\t]{1,4})?(?:put|write|patch)|(?:fly|flyctl|heroku|supabase|railway)[ \\t]{1,4}(?:secrets|config)(?::|[ \\t])set)',
    flags: `${flag}[A-Za-z_][\\w-]{0,60}=(?!@)`,
    takes: 'word',
  },
  { names: 'db\\.(?:auth|changeUserPassword)\\(', flags: `^\\s{0,4}["'][^"'\\n]{1,60}["'],\\s{0,4}`, takes: 'word' },
  { names: 'poetry[ \\t]{1,4}config', flags: 'http-basic\\.[^\\s]{1,60} [^\\s]{1,60} ', takes: 'word' },
  { names: 'net[ \\t]{1,4}user|wpa_passphrase', flags: '^[ \\t]{1,4}[^\\s]{1,60}[ \\t]{1,4}(?!/)', takes: 'word' },
  { names: 'mc[ \\t]{1,4}(?:alias|config host)', flags: '[ \\t]https?://[^\\s]{1,100} [^\\s]{1,100} ', takes: 'word' },
  { names: 'net[ \\t]{1,4}use', flags: '/user:[^\\s]{1,60} ', takes: 'word' },
  { names: 'ConvertTo-SecureString', flags: '^[ \\t]{1,4}(?:-String[ \\t]{1,4})?', takes: 'word' },
  { names: '(?:redis|valkey)-cli', flags: '\\b(?:AUTH|auth)[ \\t]{1,4}', takes: 'word' },
  { names: 'ACL SETUSER', flags: '(?<=\\s)>', takes: 'word' },
  { names: 'sqlplus|impdp|expdp|rman|sqlldr', flags: '(?<=\\s)[\\w$]{1,30}/(?=[^\\s/])', takes: 'word' },
];

const flagsOf = programs.map(({ flags }) => new RegExp(flags, 'g'));
const begin = programs.map(({ names }) => `(${names})`);
// Two programs may have the same name and other flags, so each is searched for alone; a text without any is looked at once.
const any = new RegExp(`(?<![\\w.@-])(?:${programs.map(({ names }) => names).join('|')})(?=[\\s"'(]|(?<=\\())`, 'g');
const single = begin.map((names) => new RegExp(`${names}(?=[\\s"'(]|(?<=\\())`, 'y'));

/** Most texts have no flags. */
const hasFlags =
  /[\s"']-[a-zA-Z-]|[\s:](?:set|put|write|patch) |\bdb\.[ac]|\/(?:p|user):|chpasswd|passwd|cryptsetup|AUTH |net user |wpa_pass|\| ?(?:base64|gh |docker |wrangler |fly|vercel )|alias |SETUSER|sqlplus|impdp|expdp|rman |sqlldr|ConvertTo/;

/** What is piped to a program that reads a password. */
const piped =
  /(?<![\w.-])(?:echo|printf|<<<)[ \t]{1,4}(?:-[a-zA-Z]{1,3} |'%s(?:\\n)?' ){0,2}(?:"([^"\n]{3,200})"|'([^'\n]{3,200})'|([^\s|"'<>]{3,200}))[ \t]{0,4}\|[ \t]{0,4}(?:[\w./-]{1,40} ){0,3}?(?:[^|\n]{0,80}--(?:password-stdin|with-token|stdin|passphrase-fd)|sudo (?:-[A-Za-z]{1,4} ){0,2}?-[A-Za-z]{0,3}S|chpasswd|passwd|cryptsetup|(?:gh|docker|podman|wrangler|fly|flyctl|vercel|kubectl|supabase) (?:secrets?|env|create secret) |(base64|openssl|sha[0-9]{1,3}sum))/g;

export function commandSecretsIn(text: string): Span[] {
  const found: Span[] = [];
  if (!hasFlags.test(text)) return found;
  any.lastIndex = 0;
  for (let match = any.exec(text); match !== null; match = any.exec(text)) {
    for (const [index, program] of programs.entries()) {
      const name = single[index];
      if (name === undefined) continue;
      name.lastIndex = match.index;
      const said = name.exec(text)?.[0];
      if (said !== undefined) found.push(...flagsIn(text, match.index + said.length, program, flagsOf[index]));
    }
  }
  if (text.includes('|') && /echo|printf|<<</.test(text))
    for (const match of text.matchAll(piped)) {
      const said = match[1] ?? match[2] ?? match[3] ?? '';
      const start = match.index + match[0].indexOf(said);
      const isSure = match[4] === undefined || looksRandom(said, 6);
      if (isSure && !isPlaceholder(said) && !isVariable(said))
        found.push({ kind: 'password', start, end: start + said.length });
    }
  return found;
}

function flagsIn(text: string, from: number, { takes }: Program, flags: RegExp | undefined): Span[] {
  const command = text.slice(from, from + longestCommand);
  const close = command.search(/(?<!\\)\n|&&|;[ \t]|[ \t]\|[ \t]/);
  const said = close === -1 ? command : command.slice(0, close);
  return [...said.matchAll(flags ?? /$^/g)].flatMap((match) => {
    const at = from + match.index + match[0].length;
    const secret = takes === 'pair' ? pairAt(text, at) : wordAt(text, at, takes === 'cookie');
    return secret === null ? [] : [secret];
  });
}
const longestCommand = 400;

function valueAt(text: string, at: number): { start: number; end: number } | null {
  if (/["'`]/.test(text[at] ?? '')) return quotedAt(text, at);
  const end = wordEnd(text, at, /[\s"'`\\]/);
  return end - at < 3 || text[at] === '-' ? null : { start: at, end };
}

function wordAt(text: string, at: number, isCookie: boolean): Span | null {
  const value = valueAt(text, at);
  if (value === null) return null;
  const { start, end } = value;
  const said = text.slice(start, Math.min(end, start + 400));
  if (isCookie ? !/^[^=;\s/]{1,80}=./.test(said) : isCode(said, '')) return null;
  return isPlaceholder(said) || isVariable(said) ? null : { kind: isCookie ? 'authorization' : 'password', start, end };
}

/** ada:…, but not 1000:1000, nor a name alone. */
export function pairAt(text: string, at: number): Span | null {
  const value = valueAt(text, at);
  if (value === null) return null;
  const pair = text.slice(value.start, Math.min(value.end, value.start + 400));
  const colon = pair.indexOf(':');
  const [user, password] = [pair.slice(0, colon), pair.slice(colon + 1)];
  const isPair = colon >= 0 && password.length >= 2 && password !== user && !/^[0-9]{1,10}\W?$/.test(password);
  return isPair && !isPlaceholder(password) && !isVariable(password) && !/^\/\//.test(password)
    ? { kind: 'credentials', start: value.start, end: value.end }
    : null;
}
