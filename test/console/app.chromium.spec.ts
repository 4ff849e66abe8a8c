import { DESTINATION, withdrawalSteps } from '../fixtures/withdrawals.js';
import { startApiWithSettings } from '../harness/api-with-settings.js';
import { addAuthenticator, goTo, openAsUser } from './app-user.js';
import { act, startConsole, takeScreenshot, type ConsoleBrowser } from './console-browser.js';

describe("The users' page in Chromium", () => {
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    browser = await startConsole();
  });
  afterEach(() => {
    expect(browser.faults).toEqual([]);
  });
  afterAll(() => browser?.stop());

  it('leads from the sign-in over deposit, investment and withdrawal to a proof that the money is counted', async () => {
    const page = await openAsUser(browser, 'story@example.org');
    await addAuthenticator(page);
    await page.getByText('There is no money yet').waitFor();

    await goTo(page, 'Deposit');
    await page.getByRole('img', { name: /^QR code of 0x/ }).waitFor();
    await page.getByRole('button', { name: 'Deposit 1,000.00 USDC' }).click();
    await page.getByText('credited').waitFor();
    await takeScreenshot(page, 'app-deposit');

    await goTo(page, 'Invest');
    await page.getByRole('radio', { name: /Balanced/ }).check();
    await page.getByLabel('Amount in USDC').fill('400');
    await page.getByText('Invests 400.00 USDC').waitFor();
    await takeScreenshot(page, 'app-invest');
    await page.getByRole('button', { name: 'Invest', exact: true }).click();
    await page.getByText('400.00 USDC are invested in Balanced').waitFor();

    await goTo(page, 'Security');
    await page.getByLabel('Name of the new passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('These codes are shown only now').waitFor();
    await takeScreenshot(page, 'app-security');

    await goTo(page, 'Withdraw');
    await page.getByLabel('Amount in USDC').fill('100');
    await page.getByLabel('Address', { exact: true }).fill(DESTINATION);
    await takeScreenshot(page, 'app-withdraw');
    await page.getByRole('button', { name: 'Request withdrawal' }).click();
    await page.getByRole('dialog').getByText('Pay 100.00 USDC to').waitFor();
    await takeScreenshot(page, 'app-step-up');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('Requested: 100.00 USDC wait for approval').waitFor();
    await page.getByRole('table', { name: 'Withdrawals' }).getByText('waits for approval').waitFor();

    const { platform } = browser;
    platform.clock.moveTo('2026-03-03T00:05:00.000Z');
    await platform.runJob('log-sealing');
    await platform.runJob('liabilities-closing');
    await platform.runJob('log-sealing');
    await goTo(page, 'My money is counted');
    await page.getByRole('button', { name: 'Check the proof' }).click();
    await page.getByText('Your amount is part of that total').waitFor();
    expect(await page.locator('dd').first().innerText()).toContain('1,000.00 USDC'); // 500.00 available, 400.00 invested, 100.00 reserved
    await takeScreenshot(page, 'app-proof');
    await page.context().close();
  });

  it('moves, closes and cancels positions after a preview, and shows each outcome', async () => {
    const user = await browser.platform.given.user('positions@example.org').withBalance('900.00');
    const caller = browser.platform.as(user);
    for (const amount of ['100.00', '200.00', '300.00'])
      await caller.post('/api/user/investments', { strategyId: 'balanced-10', amount });
    const page = await openAsUser(browser, user.email);
    const openPosition = async (amount: string): Promise<void> => {
      await goTo(page, 'Portfolio');
      const row = page.getByRole('table', { name: 'Positions' }).getByRole('row').filter({ hasText: amount });
      await row.getByRole('link').click();
      await page.getByRole('heading', { name: 'What you can do' }).waitFor();
    };
    await openPosition('100.00 USDC');
    await page.getByText('Closes the whole position and makes').waitFor();
    await takeScreenshot(page, 'app-position');
    await act(page, 'Close the position');
    await page.getByText('closed', { exact: true }).waitFor();

    await openPosition('200.00 USDC');
    await page.getByRole('tab', { name: 'Move' }).click();
    await page.getByLabel('Move to').selectOption({ label: 'Aggressive 20%' });
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Aggressive 20%' }).waitFor();

    await openPosition('300.00 USDC');
    await page.getByRole('tab', { name: 'Cancel' }).click();
    await act(page, 'Cancel the position');
    await page.getByText('cancelled', { exact: true }).waitFor();
    const { data } = await caller.get('/api/user/balance');
    // Of 900.00, 600.00 were invested. 100.00 are closed, 300.00 cancelled, and 200.00 moved.
    expect(data).toMatchObject({ available: '700.00', invested: '200.00' });
    await page.context().close();
  });

  it('sends a repeated withdrawal with the same key after a lost answer, so that it is made once, and cancels it only after a question', async () => {
    const user = await browser.platform.given.user('once@example.org').withBalance('500.00');
    const page = await openAsUser(browser, user.email, '/app/withdraw');
    let attempts = 0; // the client makes four before it gives up
    await page.route('**/api/user/withdrawals', async (route) => {
      if (route.request().method() !== 'POST' || ++attempts > 4) return route.continue();
      await route.fetch({ url: `${browser.platform.baseUrl}/api/user/withdrawals` });
      await route.abort('connectionreset');
    });
    await page.getByLabel('Amount in USDC').fill('50');
    await page.getByLabel('Address', { exact: true }).fill(DESTINATION);
    const request = page.getByRole('button', { name: 'Request withdrawal' });
    await request.click();
    await page.getByText('The service could not be reached').waitFor();
    await page.getByText('the same request is never carried out twice').waitFor();
    await request.click();
    await page.getByText('Requested: 50.00 USDC').waitFor();
    const { data } = await browser.platform.as(user).get('/api/user/withdrawals');
    expect(data.requests).toHaveLength(1);

    const cancel = page.getByRole('button', { name: /^Cancel: / });
    await cancel.click();
    await page.getByRole('dialog').getByText('makes 50.00 USDC available again').waitFor();
    await takeScreenshot(page, 'app-cancel-asked');
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await cancel.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
    expect((await browser.platform.as(user).get('/api/user/withdrawals')).data.requests[0].status).toBe(
      'pending',
    );
    await cancel.click();
    await page.keyboard.press('Enter');
    await page.getByText('Cancelled: 50.00 USDC are available again').waitFor();
    await page.getByText('Requested: 50.00 USDC').waitFor({ state: 'detached' });
    await page.context().close();
  });

  it('offers no cancellation of a withdrawal that an operator has taken and put back', async () => {
    const steps = await withdrawalSteps(browser.platform);
    const { id, ann } = await steps.createPending('60.00');
    const page = await openAsUser(browser, ann.email, '/app/withdraw');
    const row = page
      .getByRole('table', { name: 'Withdrawals' })
      .getByRole('row')
      .filter({ hasText: '60.00' });
    const cancel = row.getByRole('button', { name: /^Cancel: / });
    await cancel.waitFor();
    await steps.take(id);
    await steps.return(id);
    await page.reload();
    await row.waitFor();
    expect(await cancel.count()).toBe(0);
    await page.context().close();
  });

  it('shows a deposit, its notification, the new balance and a moved clock without a reload', async () => {
    const user = await browser.platform.given.user('live-app@example.org');
    const page = await openAsUser(browser, user.email);
    await page.getByText('There is no money yet').waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    await browser.platform.given.deposit(user.id, '123.45');
    await page.getByText('123.45 USDC').first().waitFor();
    await page.getByText(/^\d unread/).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Let thirty days pass' }).click();
    await page.getByText(/^It is now .* in the sandbox/).waitFor();
    await page.context().close();
  });

  it('says that an amount is too high, why a button is disabled, and that a session has ended', async () => {
    const user = await browser.platform.given.user('refused@example.org').withBalance('50.00');
    const page = await openAsUser(browser, user.email, '/app/withdraw');
    await page.getByText('Enter an amount.').waitFor();
    await page.getByLabel('Amount in USDC').fill('1,000');
    await page.getByText('Enter a number with at most six decimals').waitFor();
    await page.getByLabel('Amount in USDC').fill('50.000001');
    await page.getByText('Enter at most 50.00 USDC.').waitFor();
    expect(await page.getByRole('button', { name: 'Request withdrawal' }).isDisabled()).toBe(true);
    const others = await browser.platform.as(user).get('/api/user/sessions');
    for (const { id } of others.data.filter(({ kind }: { kind: string }) => kind === 'cookie'))
      await browser.platform.as(user).delete(`/api/user/sessions/${id}`);
    await page.getByText('Your session has ended').waitFor();
    await page.context().close();
  });

  it('reads a comma as the decimal sign in German, and refuses an amount that can be read in two ways', async () => {
    const user = await browser.platform.given.user('german@example.org').withBalance('50.00');
    const page = await openAsUser(browser, user.email, '/app/invest', { locale: 'de-DE' });
    await page.getByText('Das Risiko vergleicht die Strategien miteinander').waitFor();
    await page.getByLabel('Betrag in USDC').fill('1.000');
    await page.getByText('Geben Sie eine Zahl mit höchstens sechs Nachkommastellen ein').waitFor();
    await page.getByLabel('Betrag in USDC').fill('10,5');
    await page.getByText('Legt 10,50 USDC Ihres verfügbaren Guthabens').waitFor();
    await page.context().close();
  });

  it('lets the service write to a new user in the language of the page', async () => {
    const email = 'neu@example.org';
    const page = await openAsUser(browser, email, '/app/notifications', { locale: 'de-DE' });
    const user = await browser.platform.given.user(email);
    await browser.platform.given.deposit(user.id, '50.00');
    await page.getByRole('list', { name: 'Mitteilungen' }).getByText('Einzahlung').first().waitFor();
    expect(await page.getByRole('button', { name: 'Auf Deutsch schreiben' }).count()).toBe(0);
    await page.context().close();
  });

  it('saves the statement of account as a file', async () => {
    const user = await browser.platform.given.user('statement@example.org').withBalance('70.00');
    const page = await openAsUser(browser, user.email, '/app/history');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download statement' }).click();
    const stream = await (await download).createReadStream();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toContain('70.00');
    await page.context().close();
  });

  it('says why a notification could not be marked as read', async () => {
    const user = await browser.platform.given.user('unread@example.org');
    await browser.platform.given.deposit(user.id, '50.00');
    const page = await openAsUser(browser, user.email, '/app/notifications');
    await page.route('**/api/user/notifications/*/read', (route) => route.abort('connectionreset'));
    // Not the first button: the notification about the sign-in can arrive above the deposit's between the two attempts.
    const rows = page.getByRole('list', { name: 'Notifications' }).getByRole('listitem');
    const markDeposit = rows.filter({ hasText: 'Deposit' }).getByRole('button', { name: 'Mark as read' });
    await markDeposit.click();
    await page.getByText('The service could not be reached').waitFor();
    await page.unroute('**/api/user/notifications/*/read');
    await markDeposit.click();
    await markDeposit.waitFor({ state: 'detached' });
    expect(await page.getByText('The service could not be reached').count()).toBe(0);
    await page.context().close();
  });

  it('sends an admin to the console', async () => {
    const page = await browser.open('/app');
    await page.getByLabel('E-mail address').fill('support@example.com');
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
    await page.getByRole('link', { name: 'Open the console' }).waitFor();
    await page.context().close();
  });
});

describe('A position of a suspended strategy in Chromium', () => {
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    browser = await startConsole({ SUSPENDED_STRATEGIES: 'balanced-10' });
  });
  afterAll(() => browser?.stop());

  it('can be moved and closed', async () => {
    const { platform } = browser;
    const user = await platform.given.user('suspended@example.org').withBalance('500.00');
    const unsuspended = await startApiWithSettings(platform, { SUSPENDED_STRATEGIES: '' });
    const body = { strategyId: 'balanced-10', amount: '500.00' };
    const { data } = await platform.as(user, unsuspended.url).post('/api/user/investments', body);
    await unsuspended.stop();
    const page = await openAsUser(browser, user.email, `/app/positions/${data.id}`);
    await page.getByText('paused', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Move' }).waitFor();
    await page.getByRole('tab', { name: 'Close', selected: true }).waitFor();
    await act(page, 'Close the position');
    await page.getByText('closed', { exact: true }).waitFor();
    expect((await platform.as(user).get('/api/user/balance')).data.invested).toBe('0.00');
    expect(browser.faults).toEqual([]);
    await page.context().close();
  });
});
