import { expect, test } from 'vitest';
import { cct } from '../../run.js';
import { ndjson } from '../../streams.js';

/** What the runner of GitHub Actions obeys: lines that begin so, whatever blanks are before it, and `##[` anywhere. */
const obeyed = /^\s*::|##\[/;
const ours = /^::(?:group::|endgroup::$|(?:error|warning) title=[^:,]*::)/;

const commands = [
  '::error::owned',
  '  ::set-output name=a::b',
  '\t::add-mask::x',
  '::stop-commands::token',
  '::token::',
  '##[error]owned',
  'text ##[command]rm',
  '::group::x',
  '::endgroup::',
  '%0A::error::x',
  '%3A%3Aerror%3A%3Ax',
  '\r::error::x',
  '\n::error::x',
  '\r\n::error::x',
  '\u2028::error::x',
  '\u0085::error::x',
  '\v::error::x',
  '::error title=a,file=b::c',
  '#\u200b#[error]x',
  '\u00a0::error::x',
  '\u3000::error::x',
  '\ufeff::error::x',
  '##[group]a\n##[endgroup]',
  '::error file=a.ts,line=1,endLine=9::x',
  '\u001b[31m::error::x',
  '::save-state name=a::b\n\n::set-env name=PATH::/tmp',
];

/** A run in which an agent writes this wherever it can. */
function runWith(text: string): string {
  const say = (id: string, ...content: object[]) => ({ type: 'assistant', session_id: 's', message: { id, content } });
  const get = (...content: object[]) => ({ type: 'user', session_id: 's', message: { content } });
  return ndjson([
    { type: 'system', subtype: 'init', session_id: 's', model: text, cwd: text },
    get({ type: 'text', text }),
    say('m1', { type: 'text', text }, { type: 'thinking', thinking: text }),
    say('m2', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: text } }),
    get({ type: 'tool_result', tool_use_id: 't1', is_error: true, content: text }),
    say('m3', { type: 'tool_use', id: 't2', name: text, input: { [text]: text } }),
    get({ type: 'tool_result', tool_use_id: 't2', content: text }),
    say('m4', { type: 'tool_use', id: 't3', name: 'SendMessage', input: { to: text, summary: text, message: text } }),
    get({ type: 'tool_result', tool_use_id: 't3', is_error: true, content: text }),
    say('m7', { type: 'text', text: `before\n${text}\nafter` }, { type: 'text', text: `- list\n  ${text}` }),
    say('m5', { type: 'tool_use', id: 't4', name: 'Agent', input: { name: text, description: text, prompt: text } }),
    get({ type: 'tool_result', tool_use_id: 't4', content: `agentId: a1\n${text}` }),
    {
      type: 'assistant',
      session_id: 's',
      parent_tool_use_id: 't4',
      message: { id: 'm6', content: [{ type: 'text', text }] },
    },
    {
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      session_id: 's',
      result: text,
      terminal_reason: text,
    },
  ]);
}

test.each(commands)('the runner obeys nothing that an agent wrote: %j', async (text) => {
  for (const flags of [[], ['--full', '--thinking']]) {
    const { code, stdout } = await cct(['log', '-f', 'github', ...flags], runWith(text));
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/\r/);
    const commandLines = stdout.split('\n').filter((line) => obeyed.test(line));
    expect(commandLines.filter((line) => !ours.test(line) || line.includes('##['))).toEqual([]);
    // A text with a line end would otherwise be cut by the runner, and its rest obeyed.
    expect(commandLines.length).toBeGreaterThan(2);
  }
});

test('every group that is opened is closed', async () => {
  const { stdout } = await cct(['log', '-f', 'github'], runWith('::group::x'));
  const count = (pattern: RegExp) => stdout.match(pattern)?.length;
  expect(count(/^::group::/gm)).toBe(count(/^::endgroup::$/gm));
});

/** Each would do something in a pull request, if a document repeated it as it is. */
const documents = [
  '<script>alert(1)</script>',
  '<img src=http://evil.example/p>',
  '</details><h1>out</h1>',
  '</summary></details>',
  '<!-- hidden',
  '<a href="http://evil.example">x</a>',
  '<details open><summary>x',
  '![i](http://evil.example/p)',
  '![i][r]\n\n[r]: http://evil.example/p',
  '!\\[i](http://evil.example)',
  '!`x`[i](http://evil.example)',
  '[x](javascript:alert(1))',
  '[x]( javascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](java&#x73;cript:alert(1))',
  '[x](data:text/html,x)',
  '[x]:javascript:alert(1)\n[x]',
  '<javascript:alert(1)>',
  '<http://evil.example>',
  'http://evil.example',
  'www.evil.example',
  'WWW.evil.example',
  'a@evil.example',
  'mailto:a@evil.example',
  'xmpp:a@evil.example/x',
  'ftp://evil.example',
  'https\\://evil.example',
  '@everybody',
  'hi @org/team',
  '\\@everybody',
  '&#64;everybody',
  '&commat;everybody',
  '#12',
  'org/repo#12',
  'GH-12',
  '\\#12',
  '&#35;12',
  '```\n</details>\n```\n<b>x</b>',
  '````\n```\n<b>x</b>',
  '~~~\n<b>x</b>',
  '   ~~~html\n<b>x',
  '> ```\n> <b>x</b>\n<b>y</b>',
  '- ```\n  <b>x</b>\n<b>y</b>',
  '`a\nb` <b>x</b>',
  '``<b>x</b>`',
  '`<b>`` <i>x</i>`',
  '\\`<b>x</b>\\`',
  '\t<b>x</b>',
  '    <b>x</b>\n\n<b>y</b>',
  '# You',
  'Title\n===',
  'Title\n---',
  '> Title\n> ===',
  '\n---\n',
  '***\n## heading',
  'a | b\n--|--\n<b>x</b> | ![i](http://evil.example)',
  '```mermaid\ngraph TD; click A "http://evil.example"\n```',
  '```math\n\\href{javascript:alert(1)}{x}\n```',
  '```geojson\n{}\n```',
  '[^1]\n\n[^1]: <b>x</b> http://evil.example',
  '\u2028<b>x</b>',
  '\r<b>x</b>',
  'a\r\n<b>x</b>\r\n# h',
  '*[x](javascript:alert(1))*',
  '[![i](http://evil.example/p)](http://link.example)',
  '<br/><svg onload=alert(1)>',
  '&lt;b&gt; &#60;script&#62;',
  '<b\n>x',
  '[a]\n\n[a]:\nhttp://evil.example',
  "[a](http://link.example 'x\" onclick=alert(1)')",
  '<?php x ?>',
  '<![CDATA[x]]>',
  '<!DOCTYPE x>',
];

test.each(documents)('nothing that an agent wrote acts in a document: %j', async (text) => {
  const { code, stdout } = await cct(['log', '-f', 'md', '--thinking'], runWith(text));
  expect(code).toBe(0);
  const shown = withoutCode(stdout);
  expect(shown).not.toMatch(/\r|\u2028/);
  // Our own tags, and each of ours is closed.
  expect(shown.replace(/<\/?(?:details|summary|code|sub|em)>/g, '')).not.toContain('<');
  expect(shown.match(/<details>/g)?.length).toBe(shown.match(/<\/details>/g)?.length);
  // Images, links that nobody wrote as such or that run something, definitions of links, people, issues.
  expect(shown).not.toMatch(/!\[/);
  expect(shown).not.toMatch(/(?<!\]\(\s*)(?:https?|ftp):\/\/|www\.|\]\([^)]*script:|\]\(data:|\]:/i);
  const said = shown.replace(/&#x([\da-f]+);/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)));
  expect(said.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(code))).not.toMatch(/@\w|#\d|\bGH-\d/i);
  // Headings of the session and its prompt; an agent's own are smaller, and no line is underlined.
  expect(shown.match(/^#{1,2} /gm)?.length).toBeLessThanOrEqual(2);
  expect(shown.match(/^[ \t>]*(?:=+|-+)[ \t]*$/gm)).toEqual(['---']);
});

/** Without code blocks and code spans, whose content only shows. */
function withoutCode(document: string): string {
  const out: string[] = [];
  let fence: string | null = null;
  for (const quoted of document.split('\n')) {
    const line = quoted.replace(/^> /, '');
    if (fence !== null) {
      if (line === fence) fence = null;
      continue;
    }
    const [, opened, language = ''] = /^(`{3,})([\w+#.-]*)$/.exec(line) ?? [];
    fence = opened ?? null;
    // GitHub would run these.
    expect(['mermaid', 'math', 'geojson', 'topojson', 'stl']).not.toContain(language);
    if (fence === null) out.push(line.replace(/(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)/g, 'code'));
  }
  expect(fence).toBeNull();
  return out.join('\n').replace(/<code>[^<]*<\/code>/g, 'code');
}
