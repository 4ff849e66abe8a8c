import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { AdminSignIns } from '../fixtures/admin-sign-ins.js';
import { ADMIN_USERS } from '../fixtures/admin-users.js';
import type { TestAdmin, TestUser } from '../fixtures/given.js';
import { startHold } from '../fixtures/identities.js';
import { DIFFERENT_TIERS, limitsFile } from '../fixtures/limits.js';
import { ScreeningSteps } from '../fixtures/screening.js';
import { linkWallet } from '../fixtures/sealed-rows.js';
import { newWallet } from '../fixtures/wallets.js';
import { DESTINATION, withdrawalSteps } from '../fixtures/withdrawals.js';
import { enterCode, signInWithCode } from './admin-codes.js';
import { inDialog, section } from './audit-desk.js';
import {
  act,
  axeViolations,
  cutOff,
  loaded,
  show,
  startConsole,
  takeScreenshot,
  type ConsoleBrowser,
} from './console-browser.js';
import { englishTexts } from './english-texts.js';

/** Acts, and waits until the dialog has closed, which it does after everything is read again. */
async function perform(page: Page, button: string, texts: Record<string, string> = {}): Promise<void> {
  await act(page, button, texts);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const WAITS = 'Waits for the approval of a second admin. Nothing has changed yet.';

describe('The record of a user in the console', () => {
  let console_: ConsoleBrowser;
  let admin: TestAdmin;

  beforeAll(async () => {
    const settings = { LIMITS_FILE: limitsFile(DIFFERENT_TIERS) };
    console_ = await startConsole(settings, { screening: true });
    admin = await console_.platform.given.admin();
  });
  afterEach(() => {
    expect(console_.faults).toEqual([]);
  });
  afterAll(() => console_?.stop());

  const detailOf = async ({ id }: TestUser) =>
    (await console_.platform.as(admin).get(`${ADMIN_USERS}/${id}`)).data;
  const recordOf = (user: TestUser) => `/console/users/${user.id}`;
  const buttonsOf = (page: Page) => page.getByRole('main').getByRole('button');

  /** A user with everything that a record can show: a hold, a lock and a change that waits come from the stories. */
  async function userWithAccess(): Promise<TestUser & { wallet: string }> {
    const { platform } = console_;
    const user = await platform.given.user().withBalance('500.00');
    const caller = platform.as(user);
    await caller.post('/api/user/api-keys', { name: 'Bookkeeping', scopes: ['balance:read'] });
    await caller.post('/api/user/addresses', { label: 'My safe', address: DESTINATION, network: 'ERC20' });
    await caller.post('/api/user/webhooks', {
      url: 'http://127.0.0.1:9/hook',
      events: ['deposit.completed'],
    });
    const wallet = newWallet().address;
    await linkWallet(platform.dataSource, wallet, user.id);
    return { ...user, wallet };
  }

  it('lets an admin lock an account, and leads to the approval by which a second one unlocks it', async () => {
    const user = await console_.platform.given.user();
    const page = await console_.openAs('admin', recordOf(user));
    await page.getByText('not locked').waitFor();
    await perform(page, 'Lock the account', { Reason: 'Reported as stolen' });
    await page.getByText('The account is locked', { exact: true }).waitFor();
    await page.getByText('nothing that leads money out of it is possible').waitFor();
    await page.getByText('The user is not signed in.').waitFor();
    await perform(page, 'Unlock the account', { Reason: 'She has called' });
    await page.getByText(WAITS).waitFor();
    const unlock = page.getByRole('button', { name: 'Unlock the account' });
    await page.getByText('“Unlock the account” waits for the approval of a second admin').waitFor();
    expect(await unlock.getAttribute('aria-disabled')).toBe('true');
    expect((await detailOf(user)).locked).not.toBeNull();

    await page.getByRole('link', { name: 'Unlock an account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Approval' }).waitFor();
    await page.getByRole('button', { name: 'Withdraw the request' }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    const second = await console_.openAs('admin2', new URL(page.url()).pathname);
    await page.goBack();
    await perform(second, 'Approve');
    await second.getByText('Approved: the change was made').waitFor();
    await page.getByText('not locked').waitFor(); // without a reload
    expect((await detailOf(user)).locked).toBeNull();
  });

  it('asks a second admin for other limits, another address, the end of a hold and the removal of factors', async () => {
    const user = await console_.platform.given.user();
    await startHold(console_.platform, user.id);
    const page = await console_.openAs('admin', recordOf(user));
    await page.getByText('300.00 USDC for each withdrawal').waitFor();
    await perform(page, 'Change limits', { 'New limits': 'Premium', Reason: 'Her company was verified' });
    await page.getByRole('link', { name: 'Change the limits of a user' }).waitFor();
    await act(page, 'Change e-mail address', { 'New e-mail address': user.email, Reason: 'By letter' });
    await page.getByText('The user has this e-mail address already. Nothing has changed.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await act(page, 'Change e-mail address', { 'New e-mail address': 'no address', Reason: 'By letter' });
    await page.getByRole('dialog').getByText('INVALID_EMAIL').waitFor();
    await page
      .getByRole('dialog')
      .getByLabel('New e-mail address', { exact: true })
      .fill(`new-${user.email}`);
    await inDialog(page, 'Change e-mail address').click();
    await page.getByRole('link', { name: 'Change the e-mail address of a user' }).waitFor();
    await perform(page, 'End the security hold', { Reason: 'She has called' });
    await page.getByRole('link', { name: 'End a security hold' }).waitFor();
    await perform(page, 'Remove second factors', { Reason: 'She has lost the phone' });
    await page.getByRole('link', { name: 'Remove the second factors of a user' }).waitFor();
    await takeScreenshot(page, 'user-record-waiting');
    expect(await axeViolations(page)).toEqual([]);
    expect(await detailOf(user)).toMatchObject({
      email: user.email,
      tier: { id: 'standard' },
      hold: { reason: 'email-changed' },
    });
  });

  it('lets an admin set the present limits again, which mends records that contradict each other', async () => {
    const { platform } = console_;
    const user = await platform.given.user();
    await platform.dataSource.query(`update platform_user set tier = 'premium' where id = $1`, [user.id]);
    const page = await console_.openAs('admin', recordOf(user));
    await perform(page, 'Change limits', { 'New limits': 'Standard, again', Reason: 'An alert says so' });
    await page.getByText(WAITS).waitFor();
    const second = await console_.openAs('admin2', '/console/approvals');
    const card = second.getByRole('article').filter({ hasText: user.email });
    await card.getByRole('row', { name: 'Limits Standard Standard' }).waitFor();
    await act(second, 'Approve', {}, card);
    await second.getByText('Approved: the change was made').waitFor();
    const rows = await platform.dataSource.query('select tier from platform_user where id = $1', [user.id]);
    expect(rows).toEqual([{ tier: 'standard' }]);
  });

  it('suspends an account for a reason and activates it, ends its sessions, and takes away what gives access to it', async () => {
    const user = await userWithAccess();
    const page = await console_.openAs('admin', recordOf(user));
    await page.getByRole('heading', { name: 'Sessions (1)' }).waitFor();
    for (const name of ['Revoke: Bookkeeping', 'Remove: My safe', `Unlink: ${user.wallet}`])
      await page.getByRole('button', { name, exact: true }).waitFor();
    await perform(page, 'Revoke', { 'Reason (optional)': 'It was published' });
    await page.getByText('The API key is revoked').waitFor();
    await perform(page, 'Remove');
    await page.getByText('The address is removed').waitFor();
    await perform(page, 'Unlink');
    await page.getByText('The wallet is unlinked').waitFor();
    for (const part of ['API keys', 'Address book', 'Wallets'])
      await section(page, part).getByText('None', { exact: true }).waitFor();
    await perform(page, 'End all sessions');
    await page.getByText('The user is not signed in.').waitFor();

    await page.getByRole('button', { name: 'Change status' }).click();
    await page.getByRole('dialog').getByText('Enter: Reason.').waitFor(); // suspended is the first choice
    await page.keyboard.press('Escape');
    await perform(page, 'Change status', { Reason: 'A court has ordered it', 'Notify the user?': 'no' });
    await section(page, 'Access').getByText('A court has ordered it').waitFor();
    expect((await detailOf(user)).status).toBe('suspended');
    await perform(page, 'Change status', { 'New status': 'Active' });
    await section(page, 'Access')
      .locator('dd')
      .filter({ hasText: /^Active/ })
      .waitFor();
    expect((await detailOf(user)).status).toBe('active');
    expect((await console_.platform.as(admin).get(`${ADMIN_USERS}/${user.id}/api-keys`)).data).toEqual([]);
  });

  it('creates an account, deactivates it and erases it, but none with records of money', async () => {
    const page = await console_.openAs('admin', '/console/users');
    await perform(page, 'Create account', { 'E-mail address': 'invited@example.org' });
    await page.getByRole('heading', { level: 1, name: 'invited@example.org' }).waitFor();
    const [, id] = /users\/(.+)$/.exec(page.url()) as unknown as [string, string];
    await perform(page, 'Deactivate');
    await page.getByText('The account is deactivated').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Deactivate' }).count()).toBe(0);
    await perform(page, 'Erase');
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor();
    expect((await console_.platform.as(admin).get(`${ADMIN_USERS}/${id}`)).code).toBe('USER_NOT_FOUND');
    const rich = await console_.platform.given.user().withBalance('5.00');
    await show(page, `/users/${rich.id}`);
    await page.getByText('The account cannot be erased').waitFor();
    expect(await page.getByRole('button', { name: 'Erase' }).getAttribute('aria-disabled')).toBe('true');
  });

  it('asks an admin for a second factor before a screening waits for the acceptance of a second admin', async () => {
    const { platform } = console_;
    const screening = new ScreeningSteps(platform, await withdrawalSteps(platform));
    const user = await screening.user('review');
    await screening.unopenedWithdrawal(user);
    await screening.waitForAnswers();
    const app = await (await AdminSignIns.of(platform)).addTotp();
    const page = await console_.open(recordOf(user));
    await signInWithCode(page, app);
    await page.getByText('Screening: review').waitFor();
    await act(page, 'Accept screening', { Reason: 'A namesake' });
    await page.getByRole('heading', { name: 'Confirm with your second factor' }).waitFor();
    await enterCode(page, app);
    await page.getByText(WAITS).waitFor();
    await page.getByRole('link', { name: 'Accept a screening' }).waitFor();
  });

  it('shows support the access of a user without a button that changes it, and saves the statement', async () => {
    const user = await userWithAccess();
    const page = await console_.openAs('support', recordOf(user));
    await section(page, 'API keys').getByText('Bookkeeping').waitFor();
    await section(page, 'Address book').getByText('My safe').waitFor();
    await section(page, 'Wallets').getByText(user.wallet, { exact: true }).waitFor();
    await loaded(page);
    const names = (await buttonsOf(page).allInnerTexts()).map((name) => name.trim());
    const notCopying = names.filter((name) => name !== 'Copy' && name !== ''); // some have a picture only
    expect([...new Set(notCopying)]).toEqual(['Save statement']);
    await page.getByRole('button', { name: 'Save statement' }).click();
    const press = inDialog(page, 'Save statement').click();
    const [download] = await Promise.all([page.waitForEvent('download'), press]);
    expect(download.suggestedFilename()).toBe(`statement-${user.email}.csv`);
    expect(readFileSync(await download.path(), 'utf8')).toContain('500.00');
  });

  it.each([
    ['light', 'en-GB', 1280],
    ['dark', 'en-GB', 390],
    ['dark', 'de-DE', 1280],
    ['light', 'de-DE', 390],
    ['light', 'de-DE', 320],
  ] as const)(
    'breaks no rule that axe knows and cuts nothing off in %s colours, in the language %s, at %d pixels',
    async (scheme, locale, width) => {
      const user = await userWithAccess();
      await startHold(console_.platform, user.id);
      const reason = { reason: 'Telefon gestohlen' }; // of an admin, in the language of the German pages
      const caller = console_.platform.as(admin);
      await caller.post(`${ADMIN_USERS}/${user.id}/lock`, reason);
      await caller.put(`${ADMIN_USERS}/${user.id}/tier`, { tier: 'premium', ...reason });
      const page = await console_.openAs('admin', '/console/status', { scheme, width, locale });
      await show(page, `/users/${user.id}`);
      await page.getByText(user.wallet, { exact: true }).first().waitFor();
      for (const summary of await page.locator('summary').all()) await summary.click();
      await takeScreenshot(page, `user-record-${locale}-${width}-${scheme}`);
      const found = [...(await axeViolations(page)), ...(await cutOff(page))];
      const english = async () => (locale === 'de-DE' ? await englishTexts(page) : []);
      found.push(...(await english()));
      await buttonsOf(page)
        .filter({ hasText: /status/i })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
      await takeScreenshot(page, `user-record-dialog-${locale}-${width}-${scheme}`);
      found.push(...(await axeViolations(page)), ...(await cutOff(page)), ...(await english()));
      await page.context().close();
      expect(found).toEqual([]);
    },
  );
});
