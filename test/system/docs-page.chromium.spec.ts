import { chromium, type Browser, type Page } from 'playwright-core';
import { programPath } from '../harness/programs.mjs';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

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
    await browser?.close();
    await platform?.stop();
  });

  const search = (phrase: string) => page.locator('.operation-filter-input').fill(phrase);
  /** Without the webhooks, which stand below the tags. */
  const operations = () => page.locator('.opblock-tag-section .opblock');
  const operation = (path: string) =>
    page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) });

  it('shows the tags in their order, closed, and the operations of a tag that the reader opens', async () => {
    const tags = await page.locator('.opblock-tag a.nostyle span').allTextContents();
    expect(tags.slice(0, 4)).toEqual(['Authentication', 'Account', 'Deposits', 'Balance']);
    expect(tags.at(-1)).toBe('Service');
    expect(await operations().count()).toBe(0);
    await page.locator('.opblock-tag').first().click();
    await operation('/api/auth/idp/login').waitFor();
    const shown = await operations().count();
    await page.locator('.opblock-tag').first().click();
    await operation('/api/auth/idp/login').waitFor({ state: 'detached' });
    expect(shown).toBeGreaterThan(1);
    expect(await operations().count()).toBe(0);
  });

  it.each([
    ['cancel withdrawal', '/api/user/withdrawals/{id}/cancel'], // words of the summary
    ['cancelWithdrawal', '/api/user/withdrawals/{id}/cancel'], // the operationId
    ['post /withdrawals cancel', '/api/user/withdrawals/{id}/cancel'], // the method and parts of the path
    ['admin: control audit log', '/api/admin/audit'], // the tag, and words of the summary
  ])('finds an operation by the search "%s"', async (phrase, path) => {
    await search(phrase);
    await operation(path).waitFor();
    const found = await operations().count();
    expect(found).toBeLessThan(5);
    await search('');
    await operation(path).waitFor({ state: 'detached' });
  });

  it('opens an operation that the search has found, with its parameters, its answers and their codes', async () => {
    await search('createWithdrawal');
    const found = operation('/api/user/withdrawals');
    await found.locator('.opblock-summary-control').click();
    await found.locator('.responses-table').waitFor();
    const text = await found.innerText();
    expect(text).toContain('Idempotency-Key');
    expect(text).toContain('INSUFFICIENT_BALANCE');
    await search('');
  });

  it('"Try it out" calls a route and shows the response, without errors or warnings in the console of the browser until then', async () => {
    await search('ping pong');
    const ping = operation('/api/ping');
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

    await search('getBalance');
    const balance = operation('/api/user/balance');
    await balance.locator('.opblock-summary-control').click();
    await balance.getByRole('button', { name: 'Try it out' }).click();
    await balance.getByRole('button', { name: 'Execute' }).click();
    const answer = balance.locator('.live-responses-table .response');
    await answer.locator('.response-col_status').first().waitFor();
    expect(await answer.locator('.response-col_status').innerText()).toContain('200');
  });
});
