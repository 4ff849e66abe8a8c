import type { Page } from 'playwright-core';
import { DAY_MS } from '../../src/common/durations.js';
import { ADMIN_USERS } from '../fixtures/admin-users.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { LOCK, lockAccount } from '../fixtures/locks.js';
import { openAsUser } from './app-user.js';
import { section } from './audit-desk.js';
import {
  act,
  axeViolations,
  cutOff,
  loaded,
  ORIGIN,
  startConsole,
  takeScreenshot,
  type ConsoleBrowser,
} from './console-browser.js';
import { englishTexts } from './english-texts.js';

const REASON = 'Sie haben Ihr Telefon als gestohlen gemeldet.';

describe('An account in Chromium', () => {
  let browser: ConsoleBrowser;
  let admin: TestAdmin;

  beforeAll(async () => {
    browser = await startConsole();
    admin = await browser.platform.given.admin();
  });
  afterEach(() => {
    expect(browser.faults).toEqual([]);
  });
  afterAll(() => browser?.stop());

  const lockedOf = async ({ id }: TestUser) =>
    (await browser.platform.as(admin).get(`${ADMIN_USERS}/${id}`)).data.locked;
  const problemsOf = async (page: Page) => [...(await axeViolations(page)), ...(await cutOff(page))];

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'tells its user on every page why an admin has locked it, and what ends the lock, in %s colours at %d pixels',
    async (scheme, width) => {
      const user = await browser.platform.given.user(`locked-${width}@example.org`);
      await browser.platform.as(user).put('/api/user/profile', { language: 'de' });
      await browser.platform.given.deposit(user.id, '50.00');
      await browser.platform.as(admin).post(`${ADMIN_USERS}/${user.id}/lock`, { reason: REASON });
      const page = await openAsUser(browser, user.email, '/app', { scheme, width, locale: 'de-DE' });
      const notice = page.getByRole('alert').filter({ hasText: 'Das Konto ist seit' });
      for (const path of ['', '/deposit', '/withdraw', '/security']) {
        await page.goto(`${ORIGIN}/app${path}`);
        await loaded(page);
        await notice.getByText(`Grund: ${REASON}`).waitFor();
        await notice.getByText('bis zwei Mitarbeiter sie beenden: Wenden Sie sich an den Support').waitFor();
        expect(await notice.getByRole('link').count()).toBe(0);
        expect([path, await problemsOf(page), await englishTexts(page)]).toEqual([path, [], []]);
        await takeScreenshot(page, `app-locked${path.replace('/', '-')}-${scheme}-${width}`);
      }
      await page.context().close();
    },
  );

  it('leads a user who has locked it to the page on which it is unlocked', async () => {
    const user = await browser.platform.given.user('own-lock@example.org');
    await browser.platform.as(user).post(LOCK);
    const page = await openAsUser(browser, user.email);
    await page.getByText('The lock lasts until you end it with a second factor').waitFor();
    await page.getByRole('alert').getByRole('link', { name: 'Unlock' }).click();
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await page.getByRole('button', { name: 'Unlock', exact: true }).waitFor();
    await page.context().close();
  });

  it('that its user has locked can be changed by an admin so that only two admins unlock it; line breaks in the pasted reason become spaces', async () => {
    const user = await browser.platform.given.user();
    await lockAccount(browser.platform, user.id);
    expect(await lockedOf(user)).toMatchObject({ unlock: 'step-up', reason: null });
    const page = await browser.openAs('admin', `/console/users/${user.id}`);
    await page.getByRole('button', { name: 'Lock for two admins' }).click();
    const field = page.getByRole('dialog').getByLabel('Reason', { exact: true });
    expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    expect(await field.getAttribute('maxlength')).toBe('500'); // as the service takes it
    await page.evaluate('navigator.clipboard.writeText("The phone is lost.\\n\\nThe police knows it.\\n")');
    await page.keyboard.press('ControlOrMeta+v');
    expect(await field.inputValue()).toBe('The phone is lost. The police knows it. ');
    await page.keyboard.press('Enter');
    await page.getByText('Only two admins unlock the account now').waitFor();
    const reason = 'The phone is lost. The police knows it.';
    expect(await lockedOf(user)).toMatchObject({ by: 'admin', unlock: 'admins', reason });
    await page.getByText(`Reason for the lock: ${reason}`).waitFor();
    await section(page, 'Access').getByText(reason, { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Lock for two admins' }).count()).toBe(0);
    await page.context().close();
  });

  it('that an admin has locked is unlocked by an approval that names the user and the reason of the lock, in words', async () => {
    const user = await browser.platform.given.user();
    const caller = browser.platform.as(admin);
    await caller.post(`${ADMIN_USERS}/${user.id}/lock`, { reason: REASON });
    await caller.post(`${ADMIN_USERS}/${user.id}/unlock`, { reason: 'Sie hat es wieder' });
    const page = await browser.openAs('admin2', '/console/approvals', { locale: 'de-DE' });
    const card = page.getByRole('article').filter({ hasText: user.email });
    await card.getByRole('link', { name: `Nutzer ${user.email}` }).waitFor();
    await card.getByRole('row', { name: `Kontosperre: Grund ${REASON}` }).waitFor();
    await card.getByRole('row', { name: /^Kontosperre: Durch von einem Admin gesperrt/ }).waitFor();
    const text = await card.innerText();
    expect(text).not.toContain(user.id);
    expect(text).not.toMatch(/[{}]/);
    expect([await problemsOf(page), await englishTexts(page)]).toEqual([[], []]);
    await takeScreenshot(page, 'approval-unlock');
    await page.context().close();
  });

  it('is shown with times of the moved clock; the console marks times of the real clock', async () => {
    const { clock } = browser.platform;
    clock.advance(30 * DAY_MS);
    const user = await browser.platform.given.user();
    const page = await browser.openAs('admin', `/console/users/${user.id}`);
    await page.getByText(/^Clock of the sandbox:/).waitFor();
    await section(page, /^Sessions/)
      .getByText('(real time)')
      .first()
      .waitFor();
    expect(await section(page, 'Account').getByText('(real time)').count()).toBe(0);
    await takeScreenshot(page, 'user-record-moved-clock');
    expect(await problemsOf(page)).toEqual([]);
    await page.context().close();
  });

  it('has its status changed with a reason; the dialog says whether the user reads the reason or only the audit log has it', async () => {
    const user = await browser.platform.given.user();
    const page = await browser.openAs('admin', `/console/users/${user.id}`);
    await page.getByRole('button', { name: 'Change status' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The user reads it, too.').waitFor();
    await dialog.getByLabel('Notify the user?').selectOption({ label: 'no' });
    await dialog.getByText('Only the audit log gets it.').waitFor();
    expect(await dialog.getByText('The user reads it, too.').count()).toBe(0);
    await dialog.getByLabel('Notify the user?').selectOption({ label: 'yes' });
    await dialog.getByText('The user reads it, too.').waitFor();
    await page.keyboard.press('Escape');
    await act(page, 'Change status', { Reason: 'By letter' });
    await section(page, 'Access').getByText('By letter').waitFor();
    await page.context().close();
  });
});
