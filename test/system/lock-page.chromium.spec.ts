import { chromium, type Browser, type Page } from 'playwright-core';
import { LockLinksService } from '../../src/modules/identity/locks/locks.service.js';
import type { TestUser } from '../fixtures/given.js';
import { programPath } from '../harness/programs.mjs';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

describe('The page /lock in Chromium', () => {
  let platform: TestPlatform;
  let browser: Browser;

  beforeAll(async () => {
    platform = await startPlatform();
    browser = await chromium.launch({
      executablePath: programPath('chromium') as string,
      args: ['--no-sandbox'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.stop();
  });

  /** The page with a fragment in its address, in a browser without cookies, with its requests and errors. */
  async function open(fragment: string, options: Parameters<Browser['newPage']>[0] = {}) {
    const page = await browser.newPage(options);
    const requests: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) errors.push(message.text());
    });
    await page.goto(`${platform.baseUrl}/lock${fragment}`);
    return { page, requests, errors };
  }
  const tokenOf = async ({ id }: TestUser): Promise<string> =>
    new URL(await platform.app.get(LockLinksService).createLink(id)).hash.slice(1);
  const outcomeOf = (page: Page) => page.getByRole('status');
  const isLocked = async ({ email }: TestUser): Promise<boolean> => {
    const again = await platform.given.user(email);
    return (await platform.as(again).get('/api/user/limits')).data.locked !== null;
  };

  it('locks the account when its button is pressed, and no address of a request has the token', async () => {
    const ann = await platform.given.user();
    const token = await tokenOf(ann);
    const { page, requests, errors } = await open(`#${token}`, { locale: 'en-GB' });
    expect(await page.title()).toBe('Lock your account');
    expect(page.url()).toBe(`${platform.baseUrl}/lock`);
    expect(await isLocked(ann)).toBe(false);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await outcomeOf(page).filter({ hasText: 'Your account is locked.' }).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('listitem').count()).toBe(3);
    expect(requests.filter((request) => !request.endsWith('/favicon.ico'))).toEqual([
      `GET ${platform.baseUrl}/lock`,
      `POST ${platform.baseUrl}/api/auth/lock`,
    ]);
    expect([errors, await isLocked(ann)]).toEqual([[], true]);
  });

  it('says in German, for a German browser, that a link was used', async () => {
    const ann = await platform.given.user();
    const token = await tokenOf(ann);
    expect((await platform.as(null).post('/api/auth/lock', { token })).status).toBe(200);
    const { page, errors } = await open(`#${token}`, { locale: 'de-CH', colorScheme: 'dark' });
    expect([await page.title(), await page.getAttribute('html', 'lang')]).toEqual(['Konto sperren', 'de']);
    await page.getByRole('button', { name: 'Mein Konto sperren' }).click();
    await outcomeOf(page).filter({ hasText: 'Dieser Link wurde schon benutzt' }).waitFor();
    expect(errors).toEqual([]);
  });

  it('offers no button without a token', async () => {
    const { page } = await open('', { locale: 'en' });
    await outcomeOf(page).filter({ hasText: 'The link is incomplete.' }).waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
  });

  it('keeps its button when the service does not answer, and locks the account when it is pressed again', async () => {
    const ann = await platform.given.user();
    const { page } = await open(`#${await tokenOf(ann)}`, { locale: 'en' });
    await page.route('**/api/auth/lock', (route) => route.abort());
    await page.getByRole('button').click();
    await outcomeOf(page).filter({ hasText: 'could not be locked' }).waitFor();
    await page.unroute('**/api/auth/lock');
    await page.getByRole('button').click();
    await outcomeOf(page).filter({ hasText: 'Your account is locked.' }).waitFor();
    expect(await isLocked(ann)).toBe(true);
  });
});
