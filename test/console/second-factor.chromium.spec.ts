import { ADMIN_PASSWORD, AdminSignIns } from '../fixtures/admin-sign-ins.js';
import type { TestAdmin } from '../fixtures/given.js';
import { TotpApp } from '../fixtures/step-ups.js';
import { DESTINATION, withdrawalSteps, type WithdrawalSteps } from '../fixtures/withdrawals.js';
import { enterCode } from './admin-codes.js';
import { addAuthenticator } from './app-user.js';
import {
  axeViolations,
  ORIGIN,
  startConsole,
  takeScreenshot,
  type ConsoleBrowser,
} from './console-browser.js';

describe('An operator with one-time codes, in the console', () => {
  let console_: ConsoleBrowser;
  let steps: WithdrawalSteps;
  let app: TotpApp<TestAdmin>;

  beforeAll(async () => {
    console_ = await startConsole();
    steps = await withdrawalSteps(console_.platform);
    app = await (await AdminSignIns.of(console_.platform, undefined, ['operator'])).addTotp();
  });
  afterAll(() => console_?.stop());

  it('signs in with a password and a code, and completes a withdrawal with another code for exactly this payment', async () => {
    const { id } = await steps.createPending('64.00');
    const page = await console_.open(`/console/withdrawals/${id}`);
    await page.getByLabel('E-mail').fill(app.user.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
    await page.keyboard.press('Enter');
    const code = page.getByLabel('One-time code of your app');
    await code.fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('CODE_INVALID').waitFor();
    await takeScreenshot(page, 'second-factor');
    expect(await axeViolations(page)).toEqual([]);
    await enterCode(page, app);

    const main = page.getByRole('main');
    await main.getByRole('button', { name: 'Take', exact: true }).click();
    await main.getByRole('button', { name: 'Complete', exact: true }).click();
    const txHash = await console_.platform.outside.chain.payUsdc(DESTINATION, '64.00');
    await page.getByRole('dialog').getByLabel('Hash of the transfer').fill(txHash);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Confirm with your second factor' }).waitFor();
    await takeScreenshot(page, 'step-up');
    expect(await axeViolations(page)).toEqual([]);
    await enterCode(page, app);
    await page.getByText('The chain shows this payment').first().waitFor();
    expect((await steps.detail(id)).completedBy).toBe(app.user.email);
    expect(console_.faults).toEqual([]);
  });

  it('sees nothing after signing out', async () => {
    const { id } = await steps.createProcessing('65.00');
    const page = await console_.openAs('operator', '/console/withdrawals');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.goto(`${ORIGIN}/console/withdrawals/${id}`);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });
});

describe('An operator without a second factor, where one is required', () => {
  let console_: ConsoleBrowser;

  beforeAll(async () => {
    console_ = await startConsole({ ADMIN_SECOND_FACTOR: 'required' });
  });
  afterAll(() => console_?.stop());

  it('registers one-time codes, signs in with a recovery code, adds a passkey, and signs in with it', async () => {
    const page = await console_.openAs('operator');
    await addAuthenticator(page);
    await page.getByText('until then this session may do nothing else').waitFor();
    expect(await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').count()).toBe(0);
    await page.getByRole('button', { name: 'Add one-time codes of an app' }).click();
    const secret = await page.locator('code.secret').innerText();
    await page.getByRole('img', { name: /QR code for the app/ }).waitFor();
    await takeScreenshot(page, 'security');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel('Code of the app').fill(TotpApp.codeOf(secret));
    await page.keyboard.press('Enter');
    const codes = page.locator('.recovery-codes code');
    await codes.first().waitFor();
    const recoveryCodes = await codes.allInnerTexts();
    expect(recoveryCodes).toHaveLength(10);
    await takeScreenshot(page, 'recovery-codes');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have written them down' }).click();

    const signIn = () => page.getByRole('button', { name: 'operator', exact: true }).click();
    const answerByRecoveryCode = async () => {
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').fill(recoveryCodes.pop() as string);
      await page.keyboard.press('Enter');
    };
    await signIn();
    await answerByRecoveryCode();
    await page.getByRole('heading', { name: 'Withdrawals' }).waitFor();
    await page.getByRole('link', { name: 'operator@example.com' }).click();
    await page.getByLabel('Name of the passkey').fill('Laptop');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Confirm with your second factor' }).waitFor();
    await answerByRecoveryCode();
    await page.getByText('Laptop').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('link', { name: 'Withdrawals' }).waitFor();
    expect(console_.faults).toEqual([]);
  });
});
