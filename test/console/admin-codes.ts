import type { Page } from 'playwright-core';
import { ADMIN_PASSWORD } from '../fixtures/admin-sign-ins.js';
import type { TestAdmin } from '../fixtures/given.js';
import type { TotpApp } from '../fixtures/step-ups.js';

/** Enters the next code of the app where the page asks for one. */
export async function enterCode(page: Page, app: TotpApp<TestAdmin>): Promise<void> {
  await page.getByLabel('One-time code of your app').fill(app.nextCode());
  await page.keyboard.press('Enter');
}

/** Signs an admin with one-time codes in, by the password and a code. */
export async function signInWithCode(page: Page, app: TotpApp<TestAdmin>): Promise<void> {
  await page.getByLabel('E-mail').fill(app.user.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN_PASSWORD);
  await page.keyboard.press('Enter');
  await enterCode(page, app);
}
