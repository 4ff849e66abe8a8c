import type { Page } from 'playwright-core';
import type { ConsoleBrowser, ConsoleOptions } from './console-browser.js';

/** A page on which a user has signed in through the sandbox's form. */
export async function openAsUser(
  browser: ConsoleBrowser,
  email: string,
  path = '/app',
  options: ConsoleOptions = {},
): Promise<Page> {
  const page = await browser.open(path, options);
  await page.locator('input[type="email"]').fill(email);
  await page.locator('form:has(input[type="email"]) button').click();
  await page.locator('nav').waitFor({ state: 'attached' });
  return page;
}

/** Opens a screen by its link, whose text is also the heading. */
export async function goTo(page: Page, link: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('navigation').getByRole('link', { name: link }).click();
  await page.getByRole('heading', { level: 1, name: link }).waitFor();
}

/** Gives the page an authenticator for passkeys that verifies its user without being asked. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
