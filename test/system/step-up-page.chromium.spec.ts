import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { chromium, type Browser, type CDPSession, type Page } from 'playwright-core';
import { freePort } from '../../src/sandbox/ports.js';
import type { TestUser } from '../fixtures/given.js';
import { DESTINATION } from '../fixtures/withdrawals.js';
import { eventually } from '../harness/eventually.js';
import { programPath } from '../harness/programs.mjs';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { stopServer } from '../harness/stop-server.js';

const DETAILS = { amount: '100.00', currency: 'USDC', toAddress: DESTINATION };
const SAMPLE = /^```js\n(.*?)^```$/ms.exec(readFileSync('docs/access.md', 'utf8'))?.[1] as string;

/** A page with the sample of docs/access.md, whose requests go to the platform as on a page of the platform itself. */
const pageOf = (platform: TestPlatform, { token }: TestUser) => `<!doctype html>
<base href="${platform.baseUrl}/">
<script>
const token = ${JSON.stringify(token)};
${SAMPLE}
</script>`;

describe('The sample of docs/access.md, on another origin, in Chromium with an authenticator', () => {
  let platform: TestPlatform;
  let browser: Browser;
  let server: Server;
  let origin: string;
  let user: TestUser;

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    platform = await startPlatform({ settings: { CORS_ORIGINS: origin, WEBAUTHN_RP_ID: 'localhost' } });
    server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(platform, user));
    });
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    browser = await chromium.launch({
      executablePath: programPath('chromium') as string,
      args: ['--no-sandbox'],
    });
  });
  beforeEach(async () => {
    user = await platform.given.user().withBalance('1000.00');
  });
  afterAll(async () => {
    await browser?.close();
    await stopServer(server);
    await platform?.stop();
  });

  /** A page with an authenticator that verifies its user by itself, as one with a fingerprint of the present user does. */
  async function openPage(): Promise<{ page: Page; devTools: CDPSession; authenticatorId: string }> {
    const page = await browser.newPage();
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('WebAuthn.enable');
    const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(origin);
    return { page, devTools, authenticatorId };
  }

  const addPasskey = (page: Page) => page.evaluate<string[]>(`addPasskey('Laptop')`);
  const withdraw = (page: Page) =>
    page.evaluate<{ id: string } | { code: string; name: string }>(
      `withdraw(${JSON.stringify(DETAILS)}).catch(({ code, name }) => ({ code, name }))`,
    );
  const withdrawals = async () =>
    (await platform.as(user).get('/api/user/withdrawals')).data.requests as unknown[];

  it('adds a passkey, shows the recovery codes and withdraws with it', async () => {
    const { page } = await openPage();
    expect(await addPasskey(page)).toHaveLength(10);
    expect((await platform.as(user).post('/api/user/withdrawals', DETAILS)).code).toBe('STEP_UP_REQUIRED');
    expect(await withdraw(page)).toMatchObject({ id: expect.any(String), amount: '100.00' });
    expect(await withdrawals()).toHaveLength(1);
    await page.close();
  });

  it('makes no withdrawal if the authenticator does not verify its user [SEC-573]', async () => {
    const { page, devTools, authenticatorId } = await openPage();
    await addPasskey(page);
    await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    expect(await withdraw(page)).toMatchObject({ name: 'NotAllowedError' });
    expect(await withdrawals()).toEqual([]);
    await page.close();
  });

  it('makes no withdrawal while nobody touches the authenticator [SEC-574]', async () => {
    const { page, devTools, authenticatorId } = await openPage();
    await addPasskey(page);
    await devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false });
    const waiting = withdraw(page).catch(() => 'closed');
    const findChallenges = `select 1 from step_up where subject_id = $1 and action = 'withdrawal.request' and token_hash is null`;
    await eventually(async () =>
      expect(await platform.dataSource.query(findChallenges, [user.id])).toHaveLength(1),
    );
    await page.close();
    expect(await waiting).toBe('closed');
    expect(await withdrawals()).toEqual([]);
  });

  it('makes no withdrawal with an authenticator that does not have the passkey', async () => {
    const { page } = await openPage();
    await addPasskey(page);
    await page.close();
    const other = await openPage();
    const waiting = withdraw(other.page).catch(() => ({ name: 'closed' }));
    const findChallenges = `select 1 from step_up where subject_id = $1 and action = 'withdrawal.request'`;
    await eventually(async () =>
      expect(await platform.dataSource.query(findChallenges, [user.id])).toHaveLength(1),
    );
    await other.page.close();
    expect((await waiting) as { name: string }).toMatchObject({
      name: expect.stringMatching(/NotAllowed|closed/),
    });
    expect(await withdrawals()).toEqual([]);
  });
});
