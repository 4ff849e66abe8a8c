import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { programPath } from '../harness/jest/programs.mjs';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const MAX_SCROLLS = 400;

describe('The page /api/docs in Chromium', () => {
  let platform: TestPlatform;
  let browser: Browser;
  let page: Page;
  const consoleErrors: string[] = [];

  beforeAll(async () => {
    platform = await startPlatform();
    browser = await chromium.launch({
      executablePath: programPath('chromium') as string,
      args: ['--no-sandbox'],
    });
    page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') consoleErrors.push(message.text());
    });
    page.on('pageerror', (error) => consoleErrors.push(error.message));
    page.on('requestfailed', (request) => consoleErrors.push(`${request.url()} failed`));
    page.on('response', (response) => {
      if (response.status() >= 400) consoleErrors.push(`${response.url()}: ${response.status()}`);
    });
    await page.goto(`${platform.baseUrl}/api/docs`);
    await page.waitForSelector('.opblock-tag');
  });
  afterAll(async () => {
    await browser.close();
    await platform.stop();
  });

  /** Scrolls until `wanted` is rendered (the page renders only the visible part); returns the tags seen on the way. */
  async function scrollTo(wanted: Locator): Promise<Set<string>> {
    const tags = new Set<string>();
    for (let count = 0; count < MAX_SCROLLS && (await wanted.count()) === 0; count++) {
      for (const tag of await page.locator('.opblock-tag a.nostyle span').allTextContents()) tags.add(tag);
      await page.mouse.wheel(0, 300);
      await page.waitForTimeout(50);
    }
    return tags;
  }

  it('lists the routes by tag, and "Try it out" calls a route and shows the response', async () => {
    const ping = page.locator('.opblock', { has: page.locator('[data-path="/api/ping"]') });
    const tags = await scrollTo(ping);
    expect([...tags]).toEqual(
      expect.arrayContaining(['Authentication', 'Admin: withdrawals', 'Balance', 'Investments']),
    );

    await ping.locator('.opblock-summary-control').click();
    await ping.getByRole('button', { name: 'Try it out' }).click();
    await ping.getByRole('button', { name: 'Execute' }).click();
    const answer = ping.locator('.live-responses-table .response');
    await answer.locator('.response-col_status').first().waitFor();

    expect(await answer.locator('.response-col_status').innerText()).toContain('200');
    expect(await answer.locator('.highlight-code').first().innerText()).toContain('pong');
    expect(consoleErrors).toEqual([]);
  });

  it('signs in with an e-mail address in the sandbox, after which "Try it out" sends the token', async () => {
    await page.goto(`${platform.baseUrl}/api/docs`);
    const form = page.locator('#sandbox-sign-in');
    await form.locator('input').fill('clicking@example.org');
    await form.getByRole('button', { name: 'Sign in' }).click();
    await form.getByText('Signed in as a user').waitFor();

    const balance = page.locator('.opblock', { has: page.locator('[data-path="/api/user/balance"]') });
    await scrollTo(balance);
    await balance.locator('.opblock-summary-control').click();
    await balance.getByRole('button', { name: 'Try it out' }).click();
    await balance.getByRole('button', { name: 'Execute' }).click();
    const answer = balance.locator('.live-responses-table .response');
    await answer.locator('.response-col_status').first().waitFor();
    expect(await answer.locator('.response-col_status').innerText()).toContain('200');
  });
});
