// Finds secrets by what precedes them: a name that means secret, any way of writing "is", a value.

import type { Span } from '../redact.js';
import {
  aloneAt,
  bareAt,
  blanks,
  givenAt,
  indentedValues,
  isCount,
  isSureWord,
  joinedValues,
  pairedAfter,
  wordAfter,
} from './given.js';
import {
  fieldName,
  isCode,
  isDigits,
  isNumbered,
  isPlaceholder,
  lineBreak,
  looksLikely,
  looksMixed,
  looksRandom,
  looksStrong,
  matchAt,
  type Name,
  nameStart,
  nextName,
  quotedAt,
  startsLine,
  type Value,
  valueField,
  valueFields,
  wordEnd,
} from './values.js';

/** Each value is read once: the search continues after it. */
export function namedSecretsIn(text: string): Span[] {
  const found: Span[] = [];
  for (let name = nextName(text, 0); name !== null; ) {
    const values = valuesAfter(text, name) ?? printed(text, name) ?? valueBefore(text, name);
    for (const value of values) found.push({ ...value, kind: 'password' });
    name = nextName(text, Math.max(name.end, values.at(-1)?.end ?? 0));
  }
  return [...found, ...columnSecretsIn(text)];
}

/**
 * How a value is tied to its name: by a sign (password = …), by a verb or a comparison (password is …), by being next to
 * it (password, …), or by being in the same sentence.
 */
type Tie = 'is' | 'said' | 'near' | 'far';

const longestReach = 200;
const mostWords = 9;
const mostSteps = 60;

const closers =
  /["'`]?(?:[*_]{1,3}|[\])}]{1,2}(?:["'`](?=[)\],]))?|["'`][\])}]{0,2})?(?:\.{2,40}|…|\[[0-9]{0,4}\]| \{ get; set; \})?(?: [([][^()[\]\n]{1,30}[)\]](?=[ \t]{0,4}(?:[:=|]|is )))?/y;
const lineEnd = /[ \t]{0,80}\\?(?:\r?\n|$)/y;
/** password = …, password: …, password => … */
const isSign =
  /;s:[0-9]{1,5}:(?=")|\?\?=|\|\|=|(?<!\))[=-]>|:=|\?=|\+=|::(?=[ \t])|[→⇒⟶➜~](?=[ \t])|:-|<-|<<<|[:：＝]|=(?![=>~])/y;
/** password == …, env.password || …, password or … */
const saidSign = /[!=]==?|\|\||\?\?|\?:|(?:or|eq)(?=[ \t]{1,4}["'`])/y;
/** </b>, </td><td>, <![CDATA[, ><value> */
const tag = /<!\[CDATA\[|<\/?[A-Za-z][\w:.-]{0,40}(?:[ \t][^<>\n]{0,80})?>/y;
const verb =
  /^(?:is|was|are|be|to|from|with|as|now|equals|ist|lautet|es|est|é|è|är|er|jest|это|là|adalah|ialah|je|on|yra|este|為|为|是|は|는|은|>|[0-9]|REG_\w{1,12}|[–—/-]|--|>>|VALUES)$/i;
const stop = /&&|;|\/\/[ \t]|[ \t]#[ \t]/y;

/** ENV NAME …, set -x NAME …, aws configure set name …, login ada password …: here a blank means "is". */
const directive =
  /(?:(?:^|[\s;&|"'`→])(?:ENV|ARG|setenv|setx|set[ \t]{1,4}-[a-z]{1,4}|config(?:ure)?[ \t]{1,4}set(?:[ \t]{1,4}\S{0,80})?|git[ \t]{1,4}config(?:[ \t]{1,4}--?\w{1,10}){0,2}|#[ \t]?define|setq|defvar|defparameter|def)[ \t]{1,4}["'(]?|\blogin[ \t]{1,4}\S{1,60}\s{1,40}|_(?:auth|password)\s{1,4})$/i;

/** The name is that of another field: {"name": "DB_PASSWORD", "value": "…"}, <input type="password" value="…">. */
const named =
  /(?:(?:^|[^A-Za-z0-9])(?:(?:parameter_?)?(?:name|key)|k|id|field|label|variable|header|option|type)["']?\s{0,4}[:=]\s{0,4}["']?[\w./:-]{0,60}|variable ["'])$/i;
/** What may be between the name and the field with its value: other fields. */
const otherFields = new RegExp(
  `["'\`]?[\\s,]{0,40}(?:\\{\\s{0,40})?(?:(?:- )?["'\`]?[\\w-]{1,40}["'\`]?[ \\t]{0,8}[:=][ \\t]{0,8}[^\\n,{}]{0,80}?(?:,|\\r?\\n|[ \\t](?=\\w{1,20}=))\\s{0,40}){0,4}?["'\`]?${valueFields}["'\`]?[ \\t]{0,40}[:=]`,
  'iy',
);

/** A walk from a name to its value, over whatever may stand between them. */
interface Walk {
  readonly name: Name;
  /** The name with what is before it: db_password. */
  readonly whole: string;
  at: number;
  tie: Tie;
  /** Words since the name, and brackets that are open. */
  words: number;
  depth: number;
  /** What follows is code rather than a sentence. */
  isCoded: boolean;
  /** A sign was right before. */
  isFresh: boolean;
  /** The last sign that is none for "is". */
  mark: string;
}

/** One step of the walk: the values, null if there are none, undefined if it goes on, false if it was another step's turn. */
type Step = (text: string, walk: Walk) => Value[] | null | undefined | false;

/** The farther the value is, the more it has to look like one. */
function valuesAfter(text: string, name: Name): Value[] | null {
  const start = nameStart(text, name.start);
  const before = text.slice(Math.max(0, start - 120), start);
  const whole = text.slice(start, name.end);
  if (fileEnding.test(text.slice(name.end, name.end + 8)) || text[name.end] === '@') return null;
  // kubectl delete secret …
  if (/^secrets?$/i.test(whole) && /\b(?:get|delete|describe|edit|patch|label) $|arn:aws[\w:-]{1,80}$/.test(before))
    return null;
  const known =
    (named.test(before) ? fieldLater(text, name) : null) ??
    (name.isLogin || /^cred/i.test(name.word) ? pairedAfter(text, name.end) : null);
  if (known !== null) return known;
  const tie = firstTie(text, name, before, whole);
  // … is identified by its id; pass `utf16` to it
  if (
    (tie !== 'is' && /^identified/.test(whole)) ||
    (/^pass$/i.test(whole) && matchAt(passed, text, name.end) !== null)
  )
    return null;
  const walk: Walk = { name, whole, at: name.end, tie, words: 0, depth: 0, isCoded: false, isFresh: false, mark: '' };
  // password.length, token_count
  const rest = matchAt(/[\w-][\w.-]{0,200}|\.[A-Za-z_$][\w.-]{0,200}/y, text, walk.at);
  if (rest !== null) Object.assign(walk, { at: walk.at + rest.length, isCoded: true, words: 1, tie: 'far' });
  walk.at += matchAt(inTag.test(before) ? tagEnd : closers, text, walk.at)?.length ?? 0;
  const given = walk.tie === 'is' ? wordAfter(text, name, walk.at) : null;
  if (given !== null) return given;
  if (walk.tie === 'is') walk.tie = 'near';
  const limit = Math.min(text.length, name.end + longestReach);
  for (let count = 0; count < mostSteps && walk.at < limit; count += 1)
    for (const step of steps) {
      const found = step(text, walk);
      if (found === false) continue;
      if (found !== undefined) return found;
      break;
    }
  return null;
}

const overLine: Step = (text, walk) => {
  const { name, at, words, isFresh } = walk;
  const line = matchAt(lineEnd, text, at);
  if (line === null) return false;
  const inside = isFresh && words === 0 ? indentedValues(text, name, at) : null;
  const next = at + Math.max(1, line.length);
  const isOpen = (walk.depth > 0 && walk.tie !== 'far') || line.includes('\\') || text[at - 1] === '>';
  if (inside !== null) return inside;
  if (!isOpen && !text.startsWith(': ', next)) return words === 0 || isFresh ? aloneAt(text, name, next) : null;
  walk.at = next;
  return undefined;
};

const overSign: Step = (text, walk) => {
  const { name, words } = walk;
  const gap = matchAt(blanks, text, walk.at)?.length ?? 0;
  walk.at += gap;
  const sign = matchAt(isSign, text, walk.at);
  if (sign === null) return matchAt(stop, text, walk.at) === null ? false : null;
  // Another name is given a value.
  if (walk.tie === 'far' && sign.includes('=') && walk.isCoded) return null;
  const isSpaced = /[ \t]/.test(text[walk.at - 1] ?? '');
  walk.at += sign.length;
  const values = words === 0 ? givenAt(text, name, walk.at, isSpaced ? ` ${sign}` : sign) : null;
  if (values !== null) return values;
  walk.isFresh = true;
  walk.isCoded ||= sign.includes('=') && !name.isLogin;
  walk.tie = words === 0 ? 'near' : 'said';
  return undefined;
};

const overMark: Step = (text, walk) => {
  const { at, words } = walk;
  const compared = matchAt(saidSign, text, at);
  const short = matchAt(shortText, text, at);
  const said = compared ?? matchAt(tag, text, at) ?? short;
  if (said !== null) {
    walk.at += said.length;
    if (compared !== null && words === 0) Object.assign(walk, { tie: 'said', isFresh: true });
    if (short === null) return undefined;
    walk.words += 1;
    const isKey = /^\s{0,4}[:=](?!=)/.test(text.slice(walk.at, walk.at + 6)) && !/^.v/.test(short);
    return isKey && (words < 2 || walk.isCoded) ? null : undefined;
  }
  if (quotedAt(text, at, at + 8) !== null || bareAt(text, at) !== null) return false;
  const mark = text[at] ?? '';
  // In a text in a text: a view shows it without the backslashes.
  if (mark === '\\' && /["'`\\]/.test(text[at + 1] ?? '')) return null;
  if (/[([{]/.test(mark)) walk.depth += 1;
  if (/[)\]}]/.test(mark)) walk.depth -= 1;
  if (/[,|([{]/.test(mark) && walk.tie !== 'far' && (walk.tie !== 'said' || words > 0)) walk.tie = 'near';
  walk.isCoded ||= /[([{<>=$\\&]/.test(mark);
  Object.assign(walk, { mark, at: at + 1, isFresh: false });
  return walk.depth < -3 ? null : undefined;
};

const overWord: Step = (text, walk) => {
  const { name, at, isFresh, mark } = walk;
  const value = quotedAt(text, at, Math.min(text.length, at + 400)) ?? bareAt(text, at);
  if (value === null) return null;
  const { isQuoted } = value;
  const said = text.slice(value.start, value.end);
  const behind = text.slice(value.end, value.end + 8);
  const isFirst = (walk.words === 0 && isQuoted) || /[,{(]/.test(mark);
  const isKey =
    !isFresh &&
    (/^["'`]?[ \t]{0,4}=(?![=>])/.test(behind) ||
      ((walk.isCoded || isFirst) && /^["'`]?[ \t]{0,4}(?::(?![:/])|=>)/.test(behind)));
  // withCredentials([…]) { sh "…" }: a block, in which the secret is used.
  if (isKey && !valueField.test(said) && !/^with/i.test(walk.whole)) return null;
  // The words of a text in quotes count too: sh "echo …".
  Object.assign(walk, { mark: '', isFresh: false });
  walk.at = !isQuoted ? value.end : /\s/.test(said) ? value.start : value.end + 1;
  if (behind.startsWith('(') && !isQuoted) walk.isCoded = true;
  else if (!isKey) {
    const isBeside = isQuoted && beside.test(text.slice(name.end, value.start)) && isSureWord(name, said);
    const isCoded = walk.isCoded || (name.isLogin && isFresh && isQuoted);
    if (isBeside || isValue(name, said, walk.tie, isQuoted, isCoded)) return joinedValues(text, name, value);
    const isEnd = /^[.!?,](?:\s|$)/.test(behind) && !walk.isCoded && !isQuoted;
    if (isEnd || (isPlaceholder(said) && /[<$%{*]/.test(said))) return null;
    walk.words += 1;
    walk.tie = verb.test(said) ? 'said' : 'far';
  }
  return walk.words > mostWords ? null : undefined;
};

const steps: readonly Step[] = [overLine, overSign, overMark, overWord];

const passed = / ([`"'])[^`"'\n]{1,60}\1 (?:to|into|as|in) /y;
/** storePassword '…', .password("…") */
const beside = /^(?:[ \t]{1,4}|\(\s{0,4})["'`]$/;
const shortText = /(["'`])[^"'`\n]{0,2}\1/y;
const fileEnding = /^\.[a-z]{1,5}(?:[:)\]\s,;"'`]|$)/;
const inTag = /<(?:[\w.-]{1,30}:)?$|<[^<>\n]{0,80}(?:name|key|id)=["']$/i;
const tagEnd = /[^<>\n]{0,80}>/y;
function firstTie(text: string, name: Name, before: string, whole: string): Tie {
  const next = text.slice(name.end, name.end + 6);
  const isFlag = whole.startsWith('-');
  if (inTag.test(before) || (/^["'`][ \t]{0,4},/.test(next) && (isFlag || called.test(before)))) return 'is';
  if (!/^["'`]?[ \t]/.test(next)) return 'near';
  const isSql = /^identified/i.test(whole) && /\b(?:create|alter|grant|connect)\b[^\n]{1,100}$/i.test(before);
  const isFirst = /^(?:requirepass|bindpw|rootpw)$/i.test(whole) && startsLine(text, name.start);
  return isFlag || isSql || isFirst || directive.test(before) ? 'is' : 'near';
}

/** define('DB_PASSWORD', '…'), setenv("TOKEN", "…", 1), getenv("TOKEN", "…"); elsewhere strings in a list are names. */
const called =
  /(?:define|set\w{0,20}|put\w{0,10}|add\w{0,20}|header|entry|pair|append|store|property|option|get\w{0,20}|fetch|env|String|default|argument|fill|fill_in|type|cookie)[( ]\s{0,10}(?:[\w.$]{1,40},\s{0,4})?["'`][\w#.=[-]{0,30}$/i;

function fieldLater(text: string, name: Name): Value[] | null {
  const between = matchAt(otherFields, text, name.end);
  return between === null ? null : givenAt(text, name, name.end + between.length, ':', true);
}

/** Whether a text that is tied to a name like this is its value. */
function isValue(name: Name, said: string, tie: Tie, isQuoted: boolean, isCoded: boolean): boolean {
  if (said.length < 3 || isPlaceholder(said) || /[$#]\{/.test(said) || isCount(name, said)) return false;
  if (!isQuoted && (other.test(said) || !/[0-9]/.test(said))) return false;
  const isNear = tie !== 'far';
  if (name.isCode && isNear && isDigits(said)) return true;
  if (/^(?:[./~@]|#\/)|a-z|^[0-9]{1,5}\W/.test(said) || (isCoded && !isQuoted && /\.[A-Za-z]|\$/.test(said)))
    return false;
  // AUTH …
  if (name.isLogin && tie === 'near' && !isCoded) return looksRandom(said, 7) && !isNumbered(said);
  if (/\s/.test(said)) return false;
  if (name.isPlural && isQuoted && isNear) return looksRandom(said, 8) && !isNumbered(said);
  if (name.isLogin || name.least > 8 || name.isPlural) return looksStrong(said);
  if (tie === 'said' && isQuoted && name.least === 0 && !name.isToken) return true;
  if (tie === 'far') return looksLikely(said, isQuoted && isCoded) && nextName(said, 0) === null;
  if (looksMixed(said, isQuoted)) return true;
  const isShort = name.isOrdinary && !isQuoted && isNumbered(said) && said.length < 7;
  return (isQuoted || !isCoded) && looksRandom(said, name.least === 0 ? 6 : 7) && !isShort;
}
/** An expression, a variable, an address of mail, RFC6749. */
const other = /[=<>{}()]|^[$\\-]|\w@\w[\w-]{0,60}\.|^[A-Z]{2,8}[-#]?[0-9]{1,6}$/;

/** What a command with this name in it has printed. */
function printed(text: string, name: Name): Value[] | null {
  if (name.least > 0 || !/[$#>%❯] [^\n]{2,100}$/.test(text.slice(Math.max(0, name.start - 90), name.start)))
    return null;
  const line = matchAt(/[^\n]{0,200}\n/y, text, name.end);
  return line === null ? null : aloneAt(text, name, name.end + line.length);
}

/**
 * {"value": "…", "name": "DB_PASSWORD"}, Field("…", alias="api_key"), use … as the password, … # db_password, … is not a
 * valid API key.
 */
function valueBefore(text: string, name: Name): Value[] {
  if (name.least > 0) return [];
  const end = nameStart(text, name.start);
  const low = Math.max(0, end - 200);
  const before = text.slice(low, end);
  for (const { pattern, looks } of gluesBefore) {
    const match = pattern.exec(before);
    const said = match?.[1] ?? '';
    if (match === null || isPlaceholder(said) || !looks(said)) continue;
    const start = low + match.index + match[0].indexOf(said);
    return [{ start, end: start + said.length, isQuoted: true }];
  }
  return [];
}
const gluesBefore = [
  {
    pattern:
      /(?:value|default|val|content|data)["']?\s{0,4}[:=]\s{0,4}["']?([^"'\n,]{3,200}?)["']?\s{0,4},?\s{0,40}["']?(?:name|(?:for_?)?key|alias|id|field|label)["']?\s{0,4}[:=]\s{0,4}["']?$/i,
    looks: (said: string) => !isCode(said, ':'),
  },
  {
    pattern:
      /(?:^|[\s"'`(*])([^\s"'`(*]{6,80}?)["'`)*;,.]{0,3} {1,2}(?:\(|(?:\/\/|#|--|<-|←) (?:[a-z]{2,12} ){0,2}|(?:as|is|for|=) (?:not )?(?:the |my |your |our |its |an? |new |this |valid |correct ){0,2}(?:[a-z]{2,12} ){0,2})$/i,
    looks: (said: string) =>
      (looksRandom(said, 6) || looksMixed(said, false)) && !/\/|:$|\.\w{1,4}$|[=<>{}()]/.test(said),
  },
  {
    pattern: /\(["']([^"'\s]{6,80})["'],\s{0,4}(?:(?:(?:for_?)?key|alias|name|id)\s?[:=]?\s?)?["']?$/i,
    looks: (said: string) => looksLikely(said, true),
  },
];

// Finds secrets in tables by the name of their column, and in the data of a Kubernetes secret.
interface SecretColumns {
  readonly sign: string;
  readonly width: number;
  /** Which columns are secret; those of tokens may hold words. */
  readonly secret: readonly { readonly index: number; readonly isToken: boolean }[];
}

/** What separates cells. Two blanks are the last resort: kubectl, psql and others align their columns with them. */
const signs = ['|', '│', '\t', ',', ';', '  '];
const maybeTable =
  /(?:pass|pwd?|secret|token|key|credential)[\w .]{0,20}["'`*]{0,2}[ \t]{0,20}(?:[,;|\t│]|\r?\n| {2})/i;
const rule = /^[\s|+:\u2500-\u257f-]{3,400}$/;

/** Columns of CSV, TSV, and tables drawn with | or blanks, whose first row names a secret. */
function columnSecretsIn(text: string): Span[] {
  const found: Span[] = [];
  if (!maybeTable.test(text)) return found;
  let table: SecretColumns | null = null;
  for (let at = 0; at < text.length; ) {
    const end = wordEnd(text, at, lineBreak);
    const line = text.slice(at, Math.min(end, at + longestRow));
    const cells: Cell[] = table === null || rule.test(line) ? [] : cellsBetween(line, table.sign);
    if (cells.length > 0 && cells.length === table?.width)
      for (const { index, isToken } of table.secret) {
        const { start, said } = cells[index] ?? { start: 0, said: '' };
        const isWord = said.length >= 3 && !/\s/.test(said) && !isPlaceholder(said);
        if (isWord && (!isToken || looksRandom(said, 6)))
          found.push({ kind: 'password', start: at + start, end: at + start + said.length });
      }
    else if (!rule.test(line)) table = secretColumns(line);
    at = text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
  return found;
}
const longestRow = 20_000;
const longestHead = 2000;

interface Cell {
  readonly start: number;
  readonly said: string;
}

/** Every cell of the first row is a name. With commas, as in a sentence, no blank follows them; with blanks, a capital is first. */
function secretColumns(line: string): SecretColumns | null {
  if (line.length < 6 || line.length > longestHead) return null;
  const sign = signs.find((one) => line.trim().includes(one));
  if (sign === undefined || (/[,;]/.test(sign) && /[,;] |[,;]$|[,;]{2}/.test(line))) return null;
  const cells = cellsBetween(line, sign);
  const isHead = cells.every(({ said }) =>
    (sign === '  ' ? /^[A-Z][\w. ()-]{0,60}$/ : /^[\w .()→-]{0,60}$/).test(said),
  );
  if (!isHead || cells.filter(({ said }) => said !== '').length < 2) return null;
  const secret = cells.flatMap(({ said }, index) => {
    const name = fieldName(said);
    return name !== null && (name.least === 0 || name.least === 6) && !name.isPlural
      ? [{ index, isToken: name.isToken }]
      : [];
  });
  return secret.length === 0 ? null : { sign, width: cells.length, secret };
}

function cellsBetween(line: string, sign: string): Cell[] {
  const cells: Cell[] = [];
  let [start, isQuoted] = [0, false];
  const addCell = (end: number) => {
    const part = line.slice(start, end);
    const said = part.replace(/^[\s"'`*]{1,400}|[\s"'`*]{1,400}$/g, '');
    if (sign !== '  ' || said !== '') cells.push({ start: start + Math.max(0, part.indexOf(said)), said });
  };
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"' && sign !== '|') isQuoted = !isQuoted;
    if (isQuoted || !line.startsWith(sign, at)) continue;
    addCell(at);
    start = at + sign.length;
  }
  addCell(line.length);
  return cells;
}

const kind = /(?<![A-Za-z])(?:stringData["']?[ \t]{0,4}:|kind["']?[ \t]{0,4}:[ \t]{0,4}["']?Secret(?![A-Za-z]))/;
const dataBegin = /(?<![A-Za-z])(?:string)?data["']?[ \t]{0,4}:[ \t]{0,4}(?=[{\r\n])/gi;
const entry = /[\s{,]{1,400}["']?[\w.-]{1,253}["']?[ \t]{0,4}:[ \t]{0,4}["']?(?=[^\s"',}]{3})/y;

/** The values under data and stringData of a Kubernetes secret, whatever their names. In YAML they are indented. */
export function kubernetesSecretsIn(text: string): Span[] {
  if (!/Secret|stringData/.test(text) || !kind.test(text)) return [];
  const found: Span[] = [];
  let last = 0;
  for (const { index, 0: begin } of text.matchAll(dataBegin)) {
    // Each entry is read once.
    if (index < last) continue;
    for (let at = index + begin.length; at < text.length; ) {
      const name = matchAt(entry, text, at);
      if (name === null || (/^\r?\n\S/.test(name) && text[index + begin.length] !== '{')) break;
      const start = at + name.length;
      const end = wordEnd(text, start, /[\s"',}]/);
      if (!isPlaceholder(text.slice(start, Math.min(end, start + 400)))) found.push({ kind: 'password', start, end });
      at = /["']/.test(text[end] ?? '') ? end + 1 : end;
      last = at;
    }
  }
  return found;
}
