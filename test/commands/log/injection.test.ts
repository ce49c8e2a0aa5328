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
