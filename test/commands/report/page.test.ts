// The page of `cct report` in a real browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPageShell } from '../../../src/io/page.js';
import { isObject, parseJson } from '../../json.js';
import { cct, rows } from '../../run.js';
import { browserPath, launch, visit } from './browser.js';

const folder = mkdtempSync(join(tmpdir(), 'cct-report-'));
afterAll(() => rmSync(folder, { recursive: true }));
const team = 'fixtures/sessions/team-2.1.325.ndjson';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function pageOf(...words: readonly string[]): Promise<string> {
  const file = join(folder, `${pages++}.html`);
  const { stdout, code } = await cct(['report', ...words]);
  expect(code).toBe(0);
  writeFileSync(file, stdout);
  return file;
}
let pages = 0;

test('the page has no control characters, which its own code might bring', async () => {
  const { stdout } = await cct(['report', team]);
  expect(/[\x00-\x08\x0b-\x1f\x7f]/.exec(stdout)).toBeNull();
});

test('the page without a run has at most 300 KB and no address', () => {
  const shell = readPageShell();
  expect(Buffer.byteLength(shell)).toBeLessThanOrEqual(300_000);
  expect(/https?:\/\//.exec(shell)).toBeNull();
  expect(shell).toContain(`content="default-src 'none'; script-src 'sha256-`);
});

describe.skipIf(browserPath === null)('in Chromium', { timeout: 600_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test('opens without a complaint and asks for nothing', async () => {
    const { page, troubles } = await visit(browser, await pageOf(team));
    await page.waitForSelector('.stage');
    expect(await page.title()).toBe('session-97a98319');
    expect(await page.locator('.names button').allInnerTexts()).toEqual([
      expect.stringContaining('main'),
      expect.stringContaining('researcher'),
      expect.stringContaining('writer'),
    ]);
    expect(await page.locator('.summary dd').allInnerTexts()).toContain('finished');
    expect(await page.getByRole('img', { name: 'lanes' }).getAttribute('aria-label')).toContain('3 lanes, 9 arrows');
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('board and cost at a moment are those of replay --at', async () => {
    const file = await pageOf(team);
    const events = await rows(['normalize', team]);
    const times = [...new Set(events.map(({ time }) => time))].filter((time) => typeof time === 'string').sort();
    const [span] = await rows(['trace', team]);
    const first = Date.parse(`${span?.['time']}`);
    for (const time of [times[5], times[12], times[20]]) {
      const [state] = await rows(['replay', '--at', `${time}`, team]);
      const seconds = (Date.parse(`${time}`) - first) / 1000;
      const { page } = await visit(browser, `${file}#t=${seconds}&tab=Board`);
      await page.waitForSelector('.board');
      const shown = await page.locator('.board li').allInnerTexts();
      const tasks = Array.isArray(state?.['tasks']) ? state['tasks'].filter(isObject) : [];
      expect(shown.length).toBe(tasks.length);
      for (const task of tasks) expect(shown.some((text) => text.startsWith(`${task['id']}`.slice(0, 6)))).toBe(true);
      const usage = Array.isArray(state?.['usage']) ? state['usage'].filter(isObject) : [];
      const cost = usage.reduce((sum, row) => sum + Number(row['cost_usd']), 0);
      await page.getByRole('tab', { name: 'Cost' }).click();
      expect(Number(await page.locator('td[data-cost]').getAttribute('data-cost'))).toBeCloseTo(cost, 9);
      await page.close();
    }
  });

  test('keys play, step, choose, search and help', async () => {
    const { page, troubles } = await visit(browser, `${await pageOf(team)}#t=0`);
    const clock = page.locator('.clock');
    await page.waitForSelector('.stage');
    expect(await clock.innerText()).toBe('0:00.0');
    const slider = page.getByLabel('Moment of the run');
    const value = async () => Number(await slider.inputValue());
    await page.keyboard.press('ArrowRight');
    const first = await value();
    await page.keyboard.press('ArrowRight');
    expect(await value()).toBeGreaterThan(first);
    await page.keyboard.press('ArrowLeft');
    expect(await value()).toBe(first);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await page.locator('.names [aria-pressed="true"]').innerText()).toContain('researcher');
    await page.keyboard.press('0');
    await slider.fill('99999');
    const details = page.getByLabel('Details');
    await expect.poll(() => details.innerText()).toMatch(/Asked\s+\S[\s\S]*Last words\s+My work on task 1/);
    await slider.fill('0');
    await page.keyboard.press('k');
    expect(await page.locator('.names [aria-pressed="true"]').innerText()).toContain('main');
    await page.keyboard.press(' ');
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(1);
    await page.keyboard.press(' ');
    await page.keyboard.press('?');
    expect(await page.locator('dialog').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.keyboard.type('shutdown');
    expect(await page.getByLabel('Search results').innerText()).toContain('All tasks are done');
    await page.getByLabel('Search results').getByRole('button').first().click();
    expect(await page.getByLabel('Details').innerText()).toContain('All tasks are done, thank you.');
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('an address leads to a moment, an agent and a call, and follows them', async () => {
    const file = await pageOf(team);
    const [call] = await rows(['normalize', '--event', 'tool:called', team]);
    const { page } = await visit(browser, `${file}#t=1.2&agent=97a98319%2Fmain&call=${call?.['tool_use_id']}`);
    await page.waitForSelector('.stage');
    expect(await page.locator('.clock').innerText()).toBe('0:01.2');
    expect(await page.getByLabel('Details').innerText()).toContain(`${call?.['tool']}`);
    const late = await visit(browser, `${file}#t=5.5`, { viewport: { width: 1280, height: 600 } });
    await late.page.locator('.row').first().waitFor();
    await expect.poll(() => late.page.locator('.list').evaluate((list) => list.scrollTop)).toBeGreaterThan(100);
    await late.page.close();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.url()).not.toContain('t=1.2&');
    await page.close();
  });

  test('the story tells the run, and a line opens', async () => {
    const { page, troubles } = await visit(browser, await pageOf(team));
    const story = page.locator('.story');
    await story.locator('.row').first().waitFor();
    const lines = (await story.innerText()).replace(/\s+/g, ' ');
    expect(lines).toContain('Creating the shared task list.');
    expect(lines).toContain('→ researcher Ask for line counts');
    await story.getByRole('button', { name: 'researcher (general-purpose' }).first().click();
    expect(await story.locator('.opened').innerText()).not.toBe('');
    await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'writer' });
    const shown = await story.locator('.row').allInnerTexts();
    expect(shown.some((text) => text.includes('Working on it.'))).toBe(true);
    expect(shown.filter((text) => text.includes('My work on task 1'))).toEqual([]);
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('choosing marks everywhere and never moves the clock; back leads back', async () => {
    const { page } = await visit(browser, `${await pageOf(team)}#t=2`);
    await page.locator('.row').first().waitFor();
    const all = await page.locator('.row').count();
    expect(await page.locator('.row.ahead').count()).toBeGreaterThan(0);
    await page.locator('.problems').click();
    await page.getByLabel('Findings').getByRole('button', { name: 'unknown recipient' }).click();
    await page.waitForSelector('.row.chosen');
    expect(await page.locator('.row.chosen').innerText()).toContain('unknown recipient');
    expect(await page.locator('.picked').count()).toBe(1);
    expect(await page.getByLabel('Details').innerText()).toContain('unknown recipient');
    expect(await page.locator('.clock').innerText()).toBe('0:02.0');
    expect(await page.locator('.row').count()).toBeGreaterThanOrEqual(all - 5);
    expect(page.url()).toContain('finding=');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.url()).not.toContain('finding=');
    await page.goBack();
    await expect.poll(() => page.locator('.row.chosen').innerText()).toContain('unknown recipient');
    await page.goBack();
    await expect.poll(() => page.locator('.row.chosen').count()).toBe(0);
    expect(await page.locator('.clock').innerText()).toBe('0:02.0');
    await page.close();
  });

  test('a search finds what is folded, far down, and opens it', async () => {
    const call = (id: string, name: string, input: unknown, result: unknown, time: string) => [
      {
        type: 'assistant',
        uuid: `a${id}`,
        timestamp: time,
        message: { id: `m${id}`, role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      },
      {
        type: 'user',
        uuid: `u${id}`,
        timestamp: time,
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'done' }] },
        tool_use_result: result,
      },
    ];
    const many = Array.from({ length: 600 }, (_, at) =>
      call(
        `t${at}`,
        'Bash',
        { command: `echo ${at}` },
        { stdout: `${'noise\n'.repeat(50)}needle-${at}`, stderr: '' },
        new Date(at * 1000).toISOString(),
      ),
    ).flat();
    const edit = call(
      'edit',
      'Edit',
      { file_path: '/src/price.ts', old_string: 'rounded per line', new_string: 'rounded once' },
      {},
      '1970-01-01T01:00:00.000Z',
    );
    const input = [...many, ...edit].map((record) => `${JSON.stringify({ session_id: 's', ...record })}\n`).join('');
    const file = join(folder, 'long.html');
    writeFileSync(file, (await cct(['report'], input)).stdout);
    const { page, troubles } = await visit(browser, file);
    await page.locator('.row').first().waitFor();
    expect(await page.locator('.row').count()).toBeLessThan(100);
    await page.keyboard.press('/');
    await page.keyboard.type('needle-577');
    expect(await page.getByLabel('Search results').innerText()).toContain('1 found');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.row.chosen').innerText()).toContain('needle-577');
    expect(await page.locator('.row.chosen').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Files' }).click();
    const files = page.getByLabel('Files');
    expect(await files.innerText()).toContain('+1 −1 once by main');
    await files.getByRole('button', { name: 'price.ts' }).click();
    expect(await files.locator('.diff .removed').innerText()).toContain('rounded per line');
    await files.locator('.edits button').click();
    await expect.poll(() => page.locator('.row.chosen').innerText()).toContain('price.ts');
    await page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.printed').innerText()).toContain('needle-599');
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('results stand below the search box, and what is opened has room', async () => {
    const file = await pageOf(team);
    for (const width of [400, 1280]) {
      const { page } = await visit(browser, file, { viewport: { width, height: 900 } });
      await page.locator('.row').first().waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('wc');
      const results = page.getByLabel('Search results');
      const [box, list] = [await page.locator('.search').boundingBox(), await results.boundingBox()];
      expect(list?.y).toBeGreaterThanOrEqual((box?.y ?? 0) + (box?.height ?? 0));
      // The words that a line shows are not repeated behind it.
      expect((await results.getByRole('button').last().innerText()).match(/wc/g)).toHaveLength(1);
      await results.getByRole('button').last().click();
      const opened = page.locator('.row.chosen .opened');
      await opened.waitFor();
      const [part, story] = [await opened.boundingBox(), await page.locator('.story').boundingBox()];
      expect((part?.y ?? 0) + (part?.height ?? 0)).toBeLessThan((story?.y ?? 0) + (story?.height ?? 0));
      await page.close();
    }
  });

  test('a bar and an arrow of the lanes can be chosen, and lanes zoom', async () => {
    const { page, troubles } = await visit(browser, await pageOf(team));
    await page.locator('.row').first().waitFor();
    const ticks = page.locator('.ticks span');
    const before = await ticks.allInnerTexts();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await ticks.allInnerTexts()).not.toEqual(before);
    // The clock stays in view, wherever it is.
    await page.keyboard.press('0');
    await page.getByLabel('Moment of the run').fill('300');
    for (let step = 0; step < 4; step++) await page.keyboard.press('+');
    const [low = 0, high = 0] = (await ticks.allInnerTexts()).map((text) => Number(text.slice(2))).sort();
    expect([low <= 0.6, high >= 0.1, high < 1]).toEqual([true, true, true]);
    await page.keyboard.press('0');
    expect(await ticks.allInnerTexts()).toEqual(before);
    const canvas = page.locator('.lanes canvas');
    const { width, height } = (await canvas.boundingBox()) ?? { width: 0, height: 0 };
    // The longest call of the writer.
    await canvas.click({ position: { x: width * 0.8, y: (height * 5) / 6 } });
    expect(await page.locator('.row.chosen').innerText()).toContain('sleep 3');
    expect(await page.locator('.hint').innerText()).toContain('sleep 3');
    const [message] = await rows(['messages', team]);
    const [span] = await rows(['trace', team]);
    const sent = Date.parse(`${message?.['time']}`) - Date.parse(`${span?.['time']}`);
    const x = 8 + (sent / Number(span?.['duration_ms'])) * (width - 16);
    for (const by of [0, 2, -2, 4, -4]) {
      if (page.url().includes('message=')) break;
      await canvas.click({ position: { x: x + by, y: height * 0.38 } });
    }
    await expect.poll(() => page.url()).toContain('message=');
    expect(await page.getByLabel('Details').innerText()).toContain('main →');
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('several runs begin with a list, and one is read at a time', async () => {
    const { page, troubles } = await visit(browser, await pageOf(team, 'fixtures/sessions/one-shot.ndjson'));
    await page.waitForSelector('.runs');
    expect(await page.locator('.runs tbody tr').count()).toBe(2);
    const began = await page.locator('.runs td:first-child').allInnerTexts();
    expect(began).toEqual([...began].sort().reverse());
    expect(began[0]).toMatch(/^2026-\d\d-\d\d \d\d:\d\d$/);
    await page.locator('.runs').getByRole('button').first().click();
    await page.locator('.row').first().waitFor();
    expect(page.url()).toContain('run=');
    await page.getByRole('button', { name: 'All runs' }).click();
    await page.waitForSelector('.runs');
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('what a run is about is seen at once: asked, ended, problems, what took the time', async () => {
    const { page } = await visit(browser, await pageOf('fixtures/files/team-2.1.325'));
    const details = page.getByLabel('Details');
    await expect.poll(() => details.innerText()).toContain('The run waited for');
    const text = await details.innerText();
    expect(text).toContain('Create a team of two to write a short report on this project.');
    expect(text).toMatch(/Ended\s+finished\s+The report is written/);
    expect(await page.locator('.summary').innerText()).toMatch(/began\s+2026-/);
    expect(text).toMatch(/Problems[\s\S]*unknown recipient/);
    await details.getByRole('button', { name: 'unknown recipient' }).click();
    await expect.poll(() => page.locator('.row.chosen').innerText()).toContain('unknown recipient');
    expect(await details.innerText()).toContain('unknown recipient SendMessage to nobody');
    await page.close();
  });

  test('an answer that the result repeats is shown, and costs say if they are at least', async () => {
    const { page } = await visit(browser, await pageOf('fixtures/sessions/several-tools.ndjson'));
    await expect.poll(() => page.getByLabel('Details').innerText()).toContain('Done: notes.txt has two lines');
    await expect.poll(() => page.locator('.names .cost').innerText()).toBe('≥ $0.0780');
    await page.getByRole('button', { name: 'Help' }).click();
    expect(await page.locator('dialog').innerText()).toContain('its model works');
    await page.close();
  });

  test('a crowd of agents does not push the story away', async () => {
    const record = (type: string, content: unknown, more: object = {}) =>
      JSON.stringify({
        type,
        session_id: 's',
        uuid: `u${uuids}`,
        timestamp: new Date(1000 * uuids).toISOString(),
        message: { id: `m${uuids++}`, role: type, model: 'claude-opus-4-6', content },
        ...more,
      });
    let uuids = 0;
    const names = Array.from({ length: 60 }, (_, at) => `agent-${at}`);
    const input = names.flatMap((name) => [
      record('assistant', [{ type: 'tool_use', id: name, name: 'Agent', input: { name, prompt: 'Go.' } }]),
      record('assistant', [{ type: 'text', text: `I am ${name}.` }], { parent_tool_use_id: name }),
      record('user', [{ type: 'tool_result', tool_use_id: name, content: 'done' }]),
    ]);
    const file = join(folder, 'crowd.html');
    writeFileSync(file, (await cct(['report'], `${input.join('\n')}\n`)).stdout);
    const { page, troubles } = await visit(browser, file);
    await page.locator('.row').first().waitFor();
    const listed = page.locator('.names li');
    expect(await listed.count()).toBe(8);
    expect((await page.locator('.story').boundingBox())?.y).toBeLessThan(400);
    const fold = page.getByRole('button', { name: '54 more agents' });
    await fold.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => listed.count()).toBe(62);
    expect((await page.locator('.story').boundingBox())?.y).toBeLessThan(500);
    await page.getByRole('button', { name: 'fewer agents' }).click();
    await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'agent-3' });
    await expect.poll(() => page.locator('.names [aria-pressed="true"]').innerText()).toContain('agent-3');
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('two runs stand side by side, and each can be read', async () => {
    const other = 'fixtures/sessions/team-2.1.140.ndjson';
    const { page, troubles } = await visit(browser, await pageOf('--compare', team, other));
    const tables = page.locator('.compare table');
    await tables.first().waitFor();
    const row = async (name: string) =>
      (
        await page
          .locator('.compare tr')
          .filter({ has: page.getByRole('rowheader', { name, exact: true }) })
          .innerText()
      ).replace(/\s+/g, ' ');
    expect(await row('cost')).toBe('cost $0.2831 $0.4412 +$0.1581 (+56 %)');
    expect(await tables.first().locator('thead').innerText()).toMatch(/session-97a98319\s+report-crew\s/);
    const leads = page.locator('.names li:first-child button > span:first-child');
    expect(await leads.first().getAttribute('style')).toBe(await leads.last().getAttribute('style'));
    expect(await row('researcher')).toContain('−4 calls');
    expect(await row('Survey the sources')).toContain('completed → in progress');
    expect(await page.locator('.stage').count()).toBe(2);
    await page.getByLabel('Lanes of the second run').getByRole('button', { name: 'researcher' }).click();
    await page.locator('.row').first().waitFor();
    expect(await page.locator('h1').innerText()).not.toBe('Two runs compared');
    await page.getByRole('button', { name: 'Both runs' }).click();
    await tables.first().waitFor();
    await page.goBack();
    await page.locator('.row').first().waitFor();
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('on paper, the lanes and the story are whole', async () => {
    const { page } = await visit(browser, await pageOf(team));
    await page.locator('.row').first().waitFor();
    await page.evaluate('window.dispatchEvent(new Event("beforeprint"))');
    await page.emulateMedia({ media: 'print' });
    const story = page.locator('.printed');
    expect(await story.innerText()).toContain('All tasks are done, thank you.');
    expect(await story.locator('.row').count()).toBeGreaterThan(40);
    expect(await page.locator('.lanes canvas').isVisible()).toBe(true);
    expect(await page.locator('.controls').isVisible()).toBe(false);
    expect(await page.locator('.static').innerText()).toContain('unanswered_request');
    await page.close();
  });

  test.each([
    [1280, 'light', ['Details', 'Cost', 'Findings'], []],
    [400, 'dark', ['Story', 'Board', 'Files'], ['--compare']],
  ] as const)('axe finds nothing at %i pixels, %s', async (width, colorScheme, tabs, words) => {
    const options = { viewport: { width, height: 900 }, colorScheme, bypassCSP: true };
    const complaints = async (file: string, shown: readonly string[]) => {
      const { page } = await visit(browser, file, options);
      await page.evaluate(axe);
      const found: string[] = [];
      for (const tab of shown) {
        if (tab !== '') await page.getByRole('tab', { name: tab }).click();
        const result = await page.evaluate<unknown>('axe.run({ resultTypes: ["violations"] })');
        const violations = isObject(result) && Array.isArray(result['violations']) ? result['violations'] : [null];
        found.push(...violations.map((one) => `${tab}: ${isObject(one) ? one['id'] : 'no answer'}`));
        // Nothing lies beside the page, where nobody looks.
        const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (over > 0) found.push(`${tab}: ${over} pixels too wide`);
      }
      await page.close();
      return found;
    };
    expect(await complaints(`${await pageOf(team)}#message=1`, tabs)).toEqual([]);
    expect(await complaints(await pageOf(...words, team, 'fixtures/sessions/one-shot.ndjson'), [''])).toEqual([]);
  });

  test('hostile text is text', async () => {
    const evil = '</script><script>document.title="owned"</script><img src=x onerror=alert(1)>\u202Egnp.exe {events}';
    const long = 'x'.repeat(1_000_000);
    const record = (content: unknown, type = 'assistant') =>
      `${JSON.stringify({ type, session_id: evil, uuid: `u${uuids++}`, timestamp: '2026-11-16T12:00:00Z', message: { id: `m${uuids}`, role: type, model: evil, content } })}\n`;
    let uuids = 0;
    const input = [
      record([{ type: 'tool_use', id: 'toolu_evil', name: evil, input: { command: evil, long } }]),
      record([{ type: 'tool_result', tool_use_id: 'toolu_evil', content: long, is_error: true }], 'user'),
      record([
        {
          type: 'tool_use',
          id: 't2',
          name: 'TodoWrite',
          input: { todos: [{ content: evil, status: 'pending', activeForm: evil }] },
        },
      ]),
      record([{ type: 'tool_result', tool_use_id: 't2', content: 'ok' }], 'user'),
      record([
        {
          type: 'text',
          text: `# ${evil}\n[dead](javascript:alert(1)) ![x](file:///x.png) <a href="javascript:alert(2)">y</a>`,
        },
      ]),
    ].join('');
    const file = join(folder, 'evil.html');
    writeFileSync(file, (await cct(['report'], input)).stdout);
    const { page, troubles } = await visit(browser, `${file}#call=toolu_evil`);
    await page.waitForSelector('.stage');
    expect(await page.title()).not.toBe('owned');
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.getByLabel('Details').innerText()).toContain('Show all');
    expect(await page.locator('.story').innerText()).toContain('dead (javascript:alert(1))');
    expect(await page.locator('.story a').count()).toBe(0);
    await page.getByRole('tab', { name: 'Board' }).click();
    expect(await page.getByLabel('Board').innerText()).toContain('</script><script>');
    expect(await page.getByLabel('Board').innerText()).toContain('\\u202e');
    expect(troubles).toEqual([]);
    await page.close();
  });

  test('without scripts the tables are there', async () => {
    const { page } = await visit(browser, await pageOf(team), { javaScriptEnabled: false });
    const text = await page.locator('body').innerText();
    for (const word of ['Scripts are off', 'researcher', 'Survey the sources', 'unanswered_request', '$0.2831'])
      expect(text).toContain(word);
    await page.close();
  });

  test('every session opens, also damaged and without times', async () => {
    const problems: string[] = [];
    for (const name of ['teammate-tool', 'killed-midway', 'hostile-text', 'one-shot', 'two-teams', 'seed-000-swarm']) {
      const { page, troubles } = await visit(browser, await pageOf(`fixtures/sessions/${name}.ndjson`));
      await page.waitForSelector('.stage');
      for (let step = 0; step < 5; step++) await page.keyboard.press('ArrowLeft');
      problems.push(...troubles.map((trouble) => `${name}: ${trouble}`));
      await page.close();
    }
    expect(problems).toEqual([]);
  });
});

test.skipIf(browserPath !== null)('the page was not tried: there is no Chromium on this machine', () => {
  expect(browserPath).toBeNull();
});

test('an empty input is a page too', async () => {
  const { stdout } = await cct(['report'], '');
  expect(stdout).toMatch(/^<!doctype html><!-- cct report 1 -->/);
  expect(parseJson(/id="settings">(.*?)<\/script>/.exec(stdout)?.[1] ?? '')).toEqual({
    title: 'cct report',
    compare: false,
    live: false,
    findings: [],
    figures: [],
  });
});
