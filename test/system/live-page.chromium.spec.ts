import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { chromium, type Browser, type Page } from 'playwright-core';
import { ConnectionsService } from '../../src/modules/messaging/live/connections.service.js';
import { CLOSE } from '../../src/modules/messaging/live/live.types.js';
import { freePort } from '../../src/sandbox/ports.js';
import { eventually } from '../harness/eventually.js';
import { programPath } from '../harness/programs.mjs';
import { startPlatform, type TestPlatform } from '../harness/platform.js';

const PAGE = readFileSync('docs/examples/live.html');

/** Serves the example at an origin of its own. */
async function serveExample(port: number): Promise<Server> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

describe('docs/examples/live.html, served from another origin, in Chromium', () => {
  let platform: TestPlatform;
  let browser: Browser;
  let listedOrigin: string;
  let unlistedOrigin: string;
  const servers: Server[] = [];

  beforeAll(async () => {
    const ports = [await freePort(), await freePort()] as const;
    for (const port of ports) servers.push(await serveExample(port));
    listedOrigin = `http://localhost:${ports[0]}`;
    unlistedOrigin = `http://localhost:${ports[1]}`;
    platform = await startPlatform({ settings: { CORS_ORIGINS: listedOrigin } });
    browser = await chromium.launch({
      executablePath: programPath('chromium') as string,
      args: ['--no-sandbox'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    for (const server of servers) server.close();
    await platform?.stop();
  });

  async function signIn(origin: string, email: string): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`${origin}/live.html?api=${encodeURIComponent(platform.baseUrl)}`);
    await page.locator('input').fill(email);
    await page.getByRole('button', { name: 'Sign in' }).click();
    return page;
  }

  it('shows a balance that changes when a deposit arrives, without polling, if its origin is listed', async () => {
    const user = await platform.given.user('live-page@example.org');
    const page = await signIn(listedOrigin, user.email);
    await page.locator('#state', { hasText: 'live' }).waitFor();
    await page.locator('#available', { hasText: '0.00' }).waitFor();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));

    await platform.given.deposit(user.id, '75.00');
    await page.locator('#available', { hasText: '75.00' }).waitFor();
    await platform.given.deposit(user.id, '25.00');
    await page.locator('#available', { hasText: '100.00' }).waitFor();

    expect(requests).toEqual([]);
    await page.close();
  });

  it('shows the balance of another user after another sign-in', async () => {
    const ann = await platform.given.user();
    const ben = await platform.given.user();
    await platform.given.deposit(ann.id, '75.00');
    const page = await signIn(listedOrigin, ann.email);
    await page.locator('#available', { hasText: '75.00' }).waitFor();
    await page.locator('input').fill(ben.email);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('#available', { hasText: /^0\.00$/ }).waitFor();

    const connections = platform.app.get(ConnectionsService);
    await eventually(async () => expect([...connections.connectionsOf('user', ann.id)]).toEqual([]));
    await page.close();
  });

  it('shows the close code 4401 when the session of its user ends', async () => {
    const { id, email } = await platform.given.user('ending@example.org');
    const page = await signIn(listedOrigin, email);
    await page.locator('#state', { hasText: 'live' }).waitFor();
    const admin = await platform.given.admin();
    await platform.as(admin).put(`/api/admin/users/${id}`, { status: 'suspended', reason: 'test' });
    await page.locator('#state', { hasText: 'closed: 4401' }).waitFor();
    await page.close();
  });

  it('gets no token, no ticket and no WebSocket from an origin that is not listed [SEC-170]', async () => {
    const user = await platform.given.user('elsewhere@example.org');
    const page = await signIn(unlistedOrigin, user.email);
    await page.locator('#state', { hasText: 'Failed to fetch' }).waitFor();

    const { data } = await platform.as(user).post('/api/user/live/ticket');
    const address = `${platform.baseUrl.replace('http', 'ws')}/api/live?ticket=${data.ticket}`;
    /** Opens a WebSocket with the ticket from the page; returns the first message or the close code. */
    const attempt = (target: Page) =>
      target.evaluate(
        (url) =>
          new Promise<string>((resolve) => {
            const socket = new WebSocket(url);
            socket.onmessage = ({ data: text }) => resolve(String(text));
            socket.onclose = ({ code }) => resolve(`closed: ${code}`);
          }),
        address,
      );
    expect(await attempt(page)).toBe('closed: 1006');
    await page.close();

    const listedPage = await browser.newPage();
    await listedPage.goto(`${listedOrigin}/live.html`);
    expect(await attempt(listedPage)).toContain('"type":"hello"'); // the refusal has not used the ticket up
    await listedPage.close();
  });

  it('connects again after a restart and receives the events that it has missed', async () => {
    const user = await platform.given.user('reconnecting@example.org');
    const page = await signIn(listedOrigin, user.email);
    await page.locator('#state', { hasText: 'live' }).waitFor();
    await platform.given.deposit(user.id, '1.00');
    await page.locator('#available', { hasText: '1.00' }).waitFor();

    const connections = platform.app.get(ConnectionsService).connectionsOf('user', user.id);
    for (const connection of connections) connection.close(CLOSE.restart);
    await page.locator('#state', { hasText: 'closed: 1012' }).waitFor();
    await platform.given.deposit(user.id, '2.00');
    await page.locator('#available', { hasText: '3.00' }).waitFor();
    await page.close();
  });
});
