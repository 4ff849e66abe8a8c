import { chromium, type Browser, type Page } from 'playwright-core';
import { programPath } from '../support/programs.mjs';
import { startPlatform, type TestPlatform } from '../support/platform.js';

describe('The page at /api/docs in a real browser', () => {
  let platform: TestPlatform;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    platform = await startPlatform();
    browser = await chromium.launch({
      executablePath: programPath('chromium') as string,
      args: ['--no-sandbox'],
    });
    page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.url()}: ${response.status()}`);
    });
    await page.goto(`${platform.baseUrl}/api/docs`);
    await page.waitForSelector('.opblock-tag');
  });
  afterAll(async () => {
    await browser.close();
    await platform.stop();
  });

  it('shows the routes under their tags, and complains of nothing', async () => {
    const tags = await page.locator('.opblock-tag a.nostyle span').allTextContents();
    expect(tags).toEqual(expect.arrayContaining(['Authentication', 'Investments', 'Admin: withdrawals']));
    expect(complaints).toEqual([]);
  });

  it('"Try it out" calls /api/ping and shows its answer', async () => {
    const ping = page.locator('.opblock', { has: page.locator('[data-path="/api/ping"]') });
    await ping.locator('.opblock-summary-control').click();
    await ping.getByRole('button', { name: 'Try it out' }).click();
    await ping.getByRole('button', { name: 'Execute' }).click();
    await ping.locator('.live-responses-table .response-col_status').first().waitFor();

    expect(await ping.locator('.live-responses-table .response .response-col_status').innerText()).toContain(
      '200',
    );
    expect(
      await ping.locator('.live-responses-table .response .highlight-code').first().innerText(),
    ).toContain('pong');
    expect(complaints).toEqual([]);
  });
});
