/** What is wrong with a source file, by the rules that every file of src must follow. `path` is relative to src. */
export function violations(path: string, source: string): string[] {
  const layer = layerOf(path);
  const code = withoutTexts(source);
  const found = [...importsOf(source)].flatMap((target) => wrongImport(path, target));
  const say = (text: string) => found.push(text);

  if (!/^[a-z0-9]+(-[a-z0-9]+)*(?:\.d)?\.tsx?$/.test(path.split('/').at(-1) ?? '')) say('its name is not kebab-case');
  if (source.split('\n').length - 1 > longestFile) say(`it has more than ${longestFile} lines`);
  if (/^export default\b|\bas default\b/m.test(code)) say('it has a default export');
  if (/\bJSON\s*\.\s*parse\b/.test(code) && path !== 'core/record/json.ts')
    say('only core/record/json.ts calls JSON.parse');
  if (layer !== 'io' && layer !== 'main' && /(?<![.\w])process\b(?!\s*[(:?])/.test(code))
    say('only io and main know the process');
  if (/\bconsole\s*\./.test(code)) say('it uses console');
  for (const of of defaultsOver(code))
    if (!isExcused(path, of)) say(`its switch over ${of} has a default: name the cases`);
  if (layer === 'core' || layer === 'view') {
    if (/\bBuffer\b/.test(code)) say('it uses Buffer');
    if (/\bDate\s*\.\s*now\b|\bnew Date\s*(\(\s*\)|(?!\s*\())|(?<!new )\bDate\s*\(|\bperformance\s*\./.test(code))
      say('it looks at the clock');
    if (/\bMath\s*\.\s*random\b|\bset(Timeout|Interval|Immediate)\b/.test(code)) say('it is not deterministic');
  }
  return found.map((text) => `${path}: ${text}`);
}

export const longestFile = 450;

/**
 * Switches over the words of our vocabulary that have a default: what is new would go there unseen. An act that is new
 * was a deleted task in the command and a pending one in the library.
 */
export function defaultsOver(code: string): string[] {
  return [...code.matchAll(/\bswitch\s*\(([^{]*)\)\s*\{/g)].flatMap(({ 0: head, 1: of = '', index }) => {
    const body = bodyAt(code, index + head.length);
    return vocabulary.test(of.trim()) && /\bdefault\s*:/.test(outermost(body)) ? [of.trim()] : [];
  });
}

/** Names of events, acts, statuses of tasks, agents and messages, types of messages. */
const vocabulary = /(?:^|\.)(?:event|act|status|outcome|type)$/;

/** Files whose switches over this may have a default, and why. */
export const excused: Readonly<Record<string, readonly [of: string, why: string]>> = {
  'api/observe-team.ts': ['event.event', 'most events say nothing to those who watch a team'],
  'api/team.ts': ['event.event', 'most events say nothing about a team'],
  'core/tables/outcome.ts': ['event.event', 'events that it is not about do not change it'],
  'core/tables/reading.ts': ['event.event', 'events that it is not about do not change it'],
  'core/tables/facts.ts': ['event.event', 'most events are no facts'],
  'core/tables/teams.ts': ['event.event', 'events that it is not about do not change it'],
  'commands/usage/estimates.ts': ['event.event', 'most events have no text that was paid for'],
};

function isExcused(path: string, of: string): boolean {
  return excused[path]?.[0] === of;
}

/** The code from here to the brace that closes it. */
function bodyAt(code: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; at < code.length && depth > 0; at++) depth += code[at] === '{' ? 1 : code[at] === '}' ? -1 : 0;
  return code.slice(from, at - 1);
}

/** Without what stands in inner braces, such as another switch. */
function outermost(body: string): string {
  let depth = 0;
  return [...body]
    .filter((char) => {
      if (char === '}') depth--;
      const isKept = depth === 0;
      if (char === '{') depth++;
      return isKept;
    })
    .join('');
}

/** Who may import whom. Everything else is forbidden. Packages have their own names; `node:` stands for all of Node. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  main: ['cli', 'io', 'version', 'node:'],
  reader: ['cli', 'io'],
  scanner: ['cli', 'io'],
  cli: ['cli', 'io', 'core', 'commands', 'view', 'version', 'commander', 'chalk'],
  commands: ['commands', 'cli', 'io', 'core', 'view', 'version', 'pbf'],
  lib: ['api', 'core', 'commands'],
  node: ['lib', 'api', 'core', 'io', 'node:'],
  api: ['api', 'core', 'commands', 'io', 'node:', 'split2', 'zod'],
  view: ['view', 'get-east-asian-width'],
  core: ['core', 'zod'],
  io: ['io', 'node:'],
  version: [],
};

/** Inside core, each stage may import the stages before it. */
const stages = ['record', 'event', 'privacy', 'prices', 'wire', 'tables', 'spans', 'story'];

/** The files of a command that use flags, streams, files or terminals. All others also run in a browser. */
const worldly =
  /^commands\/(?:[a-z]+\/(?:command|live|print|option|serve)|(?:replay|run)\/(?!rows?\.)[a-z-]+|completion\/[a-z]+)\.[jt]s$/;

/**
 * What other commands may import: rows, their description, and what they are made from; shared flags, how a message is
 * drawn, and the budget.
 */
const doors =
  /^commands\/(?:[a-z-]+|[a-z]+\/(?:rows?|fold|audit)|usage\/(?:budget|option)|audit\/option|messages\/talk)\.js$/;

interface Import {
  readonly from: string;
  readonly typesOnly: boolean;
  readonly isLazy: boolean;
}

function* importsOf(source: string): Generator<Import> {
  for (const [, words = '', from = ''] of source.matchAll(
    /^(?:import|export)\s([^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm,
  )) {
    yield { from, typesOnly: /^type\s/.test(words), isLazy: false };
  }
  for (const [, from = ''] of source.matchAll(/\b(?:import|require)\(\s*['"`]([^'"`]+)['"`]\s*\)/g))
    yield { from, typesOnly: false, isLazy: true };
}

function wrongImport(path: string, { from, typesOnly, isLazy }: Import): string[] {
  const layer = layerOf(path);
  // Rows and events are described as plain data, so the page and the start of a command do not need zod.
  if (from === 'zod' && layer === 'core' && !/^core\/(?:event\/schema|prices\/read-prices)\.ts$/.test(path))
    return ['core may not import zod here'];
  if (!from.startsWith('.')) {
    const name = from.startsWith('node:') ? 'node:' : from;
    // The page of a report is a separate program that runs in a browser.
    if (isPage(path) && /^preact(?:\/hooks)?$/.test(from)) return [];
    return allowed[layer]?.includes(name) ? [] : [`${layer} may not import ${from}`];
  }
  // Texts for people, which the build bundles.
  if (path.startsWith('cli/docs/') && /^(?:\.\.\/){3}man\/text\/[a-z-]+\.md$/.test(from)) return [];
  if (!from.endsWith('.js')) return [`the import of ${from} has to end in .js`];
  const target = resolve(path, from);
  const layerOfTarget = layerOf(target);
  // The registry is where the command line refers to commands, but only by names that are loaded on demand.
  if (path === 'cli/registry.ts' && layerOfTarget === 'commands') return [];
  if (!typesOnly && !isLazy && isDrawing(target) && !isDrawing(path))
    return [`${target} has to be loaded when it is needed`];
  if (layer === 'view' && layerOfTarget === 'core' && typesOnly) return [];
  if (!allowed[layer]?.includes(layerOfTarget)) return [`${layer} may not import ${target}`];
  // What all commands share may not depend on a single command.
  if (layer === 'cli' && layerOfTarget === 'commands' && !typesOnly) return [`cli may not import ${target}`];
  if (layer === 'core' && layerOfTarget === 'core' && stageOf(target) > stageOf(path)) {
    return [`${path.split('/')[1]} may not import ${target}`];
  }
  return layer === 'commands' ? wrongRoom(path, target) : [];
}

/** The rules between command folders. Pure files may not import impure ones; other commands may import only some files. */
function wrongRoom(path: string, target: string): string[] {
  const isPure = !worldly.test(path);
  if (isPure && /^(?:cli|io)\//.test(target)) return [`${path} is pure and may not import ${target}`];
  if (!target.startsWith('commands/')) return [];
  if (isPure && worldly.test(target)) return [`${path} is pure and may not import ${target}`];
  if (roomOf(path) === roomOf(target) || doors.test(target)) return [];
  return [`${roomOf(path)} may ask ${roomOf(target)} only for its rows, not import ${target}`];
}

function isPage(path: string): boolean {
  return path.startsWith('commands/report/page/');
}

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Code that only a picture on a terminal needs. Nothing else should wait for it to load. */
function isDrawing(path: string): boolean {
  return /^(?:cli\/live-|io\/screen\.|commands\/[a-z]+\/(?:live|cards|agent-spans|picture|talk)\.)/.test(path);
}

function layerOf(path: string): string {
  return (path.split('/')[0] ?? '').replace(/\.[jt]s$/, '');
}

function stageOf(path: string): number {
  const stage = stages.indexOf(path.split('/')[1] ?? '');
  return stage === -1 ? 0 : stage;
}

function resolve(path: string, from: string): string {
  return new URL(from, `file:///${path}`).pathname.slice(1);
}

/** The code without comments, strings, template texts and regular expressions. */
export function withoutTexts(source: string): string {
  return source.replace(texts, (text) =>
    text.startsWith('`') ? [...text.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => `(${code})`).join(' ') : ' ',
  );
}

const texts =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=(?:[(,=:[!&|?{};+]|=>|return)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;
