// A real browser for the tests of the page: Debian's Chromium. Without one, these tests are skipped and say so.
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const paths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const browserPath = paths.find((path) => existsSync(path)) ?? null;

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath ?? '',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'],
  });
}

export interface Visit {
  readonly page: Page;
  /** What the console and the page complained about, and every address they requested except the page's own. */
  readonly troubles: string[];
}

export async function visit(
  browser: Browser,
  file: string,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  // A slow machine is no failure.
  page.setDefaultTimeout(300_000);
  const troubles: string[] = [];
  page.on('console', (message) => troubles.push(`console ${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url().replace(/#.*/, '') !== `file://${file.replace(/#.*/, '')}`)
      troubles.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${file}`);
  return { page, troubles };
}
