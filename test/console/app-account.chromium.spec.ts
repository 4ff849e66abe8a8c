import { TotpApp } from '../fixtures/step-ups.js';
import { newWallet, WalletSteps } from '../fixtures/wallets.js';
import { DESTINATION } from '../fixtures/withdrawals.js';
import { goTo, openAsUser } from './app-user.js';
import { act, axeViolations, startConsole, takeScreenshot, type ConsoleBrowser } from './console-browser.js';

describe("The account on the users' page in Chromium", () => {
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    browser = await startConsole();
  });
  afterEach(() => {
    expect(browser.faults).toEqual([]);
  });
  afterAll(() => browser?.stop());

  it('has one-time codes and recovery codes, which confirm a withdrawal and new recovery codes', async () => {
    const user = await browser.platform.given.user('codes@example.org').withBalance('300.00');
    const page = await openAsUser(browser, user.email, '/app/security');
    await page.getByRole('button', { name: 'Set up' }).click();
    const secret = (await page.locator('.grouped-text .visually-hidden').innerText()).trim();
    await page.getByLabel('Code that the app shows').fill(TotpApp.codeOf(secret));
    await page.keyboard.press('Enter');
    const codes = page.getByRole('alert').filter({ hasText: 'shown only now' }).getByRole('listitem');
    await codes.first().waitFor();
    const [recoveryCode] = await codes.allInnerTexts();
    await takeScreenshot(page, 'app-recovery-codes');

    await goTo(page, 'Withdraw');
    await page.getByLabel('Amount in USDC').fill('100');
    await page.getByLabel('Address', { exact: true }).fill(DESTINATION);
    await page.getByRole('button', { name: 'Request withdrawal' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Pay 100.00 USDC to').waitFor();
    await dialog.getByLabel('One-time code of your app').fill('000000');
    await page.keyboard.press('Enter');
    await dialog.getByText('CODE_INVALID').waitFor();
    await takeScreenshot(page, 'app-step-up-code');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByLabel('One-time code of your app').fill(TotpApp.codeOf(secret, 1));
    await page.keyboard.press('Enter');
    await page.getByText('Requested: 100.00 USDC wait for approval').waitFor();

    await goTo(page, 'Security');
    await page.getByRole('button', { name: 'Make new codes' }).click();
    await dialog.getByRole('button', { name: 'Use a recovery code' }).click();
    await dialog.getByLabel('Recovery code').fill(recoveryCode as string);
    await page.keyboard.press('Enter');
    await page.getByText('The new codes are above.').waitFor();
    await codes.first().waitFor();
    expect(await codes.allInnerTexts()).not.toContain(recoveryCode);
    const { data } = await browser.platform.as(user).get('/api/user/factors');
    expect(data.recoveryCodesLeft).toBe(10);
    await page.context().close();
  });

  it('changes the name, the language and the preference about e-mail, and unlinks a wallet', async () => {
    const user = await browser.platform.given.user('profile@example.org');
    const caller = browser.platform.as(user);
    const wallets = new WalletSteps(browser.platform);
    const wallet = newWallet();
    expect((await wallets.connect(user, await wallets.signChallenge(wallet))).status).toBe(200);
    const page = await openAsUser(browser, user.email, '/app/account');
    await page.getByText('Nothing is changed yet.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Ann Example');
    await page.getByLabel('Language', { exact: true }).selectOption('Deutsch');
    await page.getByLabel('E-mail about deposits').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect((await caller.get('/api/user/profile')).data).toMatchObject({
      name: 'Ann Example',
      preferences: { language: 'de', notifications: { email: false } },
    });
    await page.getByText('Nothing is changed yet.').waitFor();

    await page.getByText(wallet.address, { exact: true }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: /^Unlink: Unlink the wallet/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink', exact: true }).click();
    await page.getByText('No wallet is linked.').waitFor();
    expect((await caller.get('/api/user/wallets')).data).toEqual([]);
    await page.context().close();
  });

  it('creates a key that expires and works from one network only, and says when a lost answer may have created it', async () => {
    const user = await browser.platform.given.user('keys@example.org');
    const page = await openAsUser(browser, user.email, '/app/developers');
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Bookkeeping');
    await page.getByLabel('Last day of validity (UTC)').fill('2030-01-31');
    await page.getByLabel('Allowed networks').fill('203.0.113.0/24, 198.51.100.7');
    await page.getByText('It works only from 203.0.113.0/24, 198.51.100.7/32.').waitFor();
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('This key is shown only now').waitFor();
    const { data } = await browser.platform.as(user).get('/api/user/api-keys');
    expect(data).toMatchObject([
      { expiresAt: '2030-01-31T23:59:59.000Z', networks: ['203.0.113.0/24', '198.51.100.7/32'] },
    ]);
    await page.getByRole('table', { name: 'API keys' }).getByText('203.0.113.0/24').waitFor();

    await page.route('**/api/user/api-keys', (route) =>
      route.request().method() === 'POST' ? route.abort('connectionreset') : route.continue(),
    );
    await name.fill('Second');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByText('see whether it was done before you repeat it').waitFor();
    await page.context().close();
  });

  it('asks before a key is revoked, a session ended, a webhook deleted or the account locked, and does nothing without an answer', async () => {
    const user = await browser.platform.given.user('asked@example.org');
    const caller = browser.platform.as(user);
    const url = 'http://127.0.0.1:9/asked'; // nothing listens there
    const operator = await browser.platform.given.admin();
    const record = `/api/admin/users/${user.id}`;
    await caller.post('/api/user/api-keys', { name: 'Old', scopes: ['balance:read'] });
    await caller.post('/api/user/webhooks', { url, events: ['deposit.completed'] });
    const page = await openAsUser(browser, user.email, '/app/developers');
    const dialog = page.getByRole('dialog');
    const keys = async () => (await caller.get('/api/user/api-keys')).data.length as number;
    const revoke = page.getByRole('button', { name: /^Revoke: Revoke the key “Old”/ });
    await revoke.click();
    await dialog.getByText('programs that use it are refused').waitFor();
    await takeScreenshot(page, 'app-asked');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Back' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await keys()).toBe(1);
    await revoke.click();
    await page.keyboard.press('Enter');
    await page.getByText('“Old” is revoked.').waitFor();
    expect(await keys()).toBe(0);

    await page.getByRole('button', { name: /^Delete: Delete the webhook/ }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no webhooks.').waitFor();

    await goTo(page, 'Security');
    const others = page.getByRole('button', { name: /^End: Sign out “/ });
    await others.first().click();
    expect((await caller.get('/api/user/sessions')).status).toBe(200);
    await dialog.getByRole('button', { name: 'End', exact: true }).click();
    await page.getByText('1 ended.').waitFor();
    await others.first().waitFor({ state: 'detached' });
    expect((await caller.get('/api/user/sessions')).status).toBe(401);

    await page.getByRole('button', { name: 'Lock now' }).click();
    await dialog.getByText('Ends all other sessions').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const isLocked = async () => (await browser.platform.as(operator).get(record)).data.locked !== null;
    expect(await isLocked()).toBe(false);
    await act(page, 'Lock now');
    await page.getByText('The account has been locked since').waitFor();
    expect(await isLocked()).toBe(true);
    await page.context().close();
  });

  it('changes the events of a webhook, and switches it off', async () => {
    const user = await browser.platform.given.user('hooks@example.org');
    const caller = browser.platform.as(user);
    const url = 'http://127.0.0.1:9/hook'; // nothing listens there
    await caller.post('/api/user/webhooks', { url, events: ['deposit.completed'], description: 'Orders' });
    const page = await openAsUser(browser, user.email, '/app/developers');
    const webhook = page.getByRole('region', { name: url });
    const edit = webhook.getByRole('button', { name: 'Edit' });
    await edit.click();
    await webhook.getByText('Nothing is changed yet.').waitFor();
    await webhook.getByLabel('withdrawal.completed').check();
    await webhook.getByLabel('Description (optional)').fill('Orders and refunds');
    await takeScreenshot(page, 'app-webhook');
    await webhook.getByRole('button', { name: 'Save' }).click();
    await webhook.getByText('The webhook is changed.').waitFor();
    await edit.click();
    await webhook.getByLabel('Send events').uncheck();
    await webhook.getByText('Sends nothing to').waitFor();
    await webhook.getByRole('button', { name: 'Save' }).click();
    await webhook.getByText('switched off by you').waitFor();
    expect((await caller.get('/api/user/webhooks')).data).toMatchObject([
      {
        url,
        status: 'disabled',
        description: 'Orders and refunds',
        events: ['deposit.completed', 'withdrawal.completed'],
      },
    ]);
    await page.context().close();
  });
});
