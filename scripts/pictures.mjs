// `npm run pictures`: writes the pictures of README.md to docs/pictures, from a sandbox of its own with sample records. Needs
// Chromium.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { Client } from 'stablecoin-platform-client';
import { programPath } from '../test/harness/programs.mjs';

const FOLDER = 'docs/pictures';
const MAX_BYTES = 150_000;
const PORTS = { PORT: '3270', SANDBOX_PORT: '3271', CHAIN_PORT: '8770', DATABASE_PORT: '5470' };
const API = `http://localhost:${PORTS.PORT}`;
const CONTROL = `http://localhost:${PORTS.SANDBOX_PORT}`;
const WAIT_MS = 500;
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const post = async (url, body) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${await response.text()}`);
  return response.json();
};

/** Repeats `read` until it returns something. */
async function until(read) {
  for (;;) {
    const found = await read();
    if (found) return found;
    await sleep(WAIT_MS);
  }
}

async function startSandbox(dataDir) {
  const child = spawn('node', ['dist/sandbox/main.js'], {
    env: { ...process.env, ...PORTS, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => String(text).includes('The platform is ready') && resolve());
    void ended.then(() => reject(new Error('the sandbox has ended')));
  });
  return async () => {
    child.kill('SIGINT');
    await ended;
  };
}

/** A user with a balance. */
async function userWith(name, amount) {
  const { token: identity } = await post(`${CONTROL}/idp/token`, { email: `${name}@example.org` });
  const { data } = await new Client({ baseUrl: API, token: identity }).call('POST /api/auth/idp/login');
  const user = new Client({ baseUrl: API, token: data.token });
  const { data: deposit } = await user.call('GET /api/user/deposits/address', {
    query: { currency: 'USDC', network: 'ERC20' },
  });
  await post(`${CONTROL}/deposits`, { address: deposit.address, amount });
  await until(async () => (await user.call('GET /api/user/balance')).data.available === amount);
  return user;
}

async function makeRecords() {
  const [ann, ben, carla] = await Promise.all([
    userWith('ann', '2500.00'),
    userWith('ben', '900.00'),
    userWith('carla', '800.00'),
  ]);
  const { strategies } = (await ann.call('GET /api/user/strategies')).data;
  for (const [index, amount] of ['600.00', '400.00'].entries())
    await ann.call('POST /api/user/investments', { body: { strategyId: strategies[index].id, amount } });
  for (const days of [10, 20]) {
    const { data: before } = await ann.call('GET /api/user/balance');
    await post(`${CONTROL}/clock/advance`, { days });
    await until(
      async () => (await ann.call('GET /api/user/balance')).data.accruedEarnings !== before.accruedEarnings,
    );
  }
  for (const [user, amount] of [
    [ann, '120.50'],
    [ben, '75.00'],
    [carla, '250.00'],
    [ben, '310.00'],
  ])
    await user.call('POST /api/user/withdrawals', { body: { amount, currency: 'USDC', toAddress: ADDRESS } });
}

async function takePictures(colorScheme) {
  const browser = await chromium.launch({
    executablePath: programPath('chromium'),
    args: ['--no-sandbox'],
  });
  const viewport = { width: 1440, height: 800 };
  const context = await browser.newContext({
    colorScheme,
    locale: 'en-GB',
    viewport,
    reducedMotion: 'reduce',
  });
  const take = async (page, name) => {
    const path = join(FOLDER, `${name}-${colorScheme}.png`);
    await page.screenshot({ path });
    if (statSync(path).size > MAX_BYTES) throw new Error(`${path} has more than ${MAX_BYTES} bytes`);
  };
  const console_ = await context.newPage();
  await console_.goto(`${API}/console`);
  await console_.getByRole('button', { name: 'operator', exact: true }).click();
  await console_.getByRole('button', { name: 'Take' }).first().waitFor();
  await console_.getByText('Live', { exact: true }).waitFor();
  await take(console_, 'console');
  const app = await context.newPage();
  await app.goto(`${API}/app`);
  await app.locator('input[type="email"]').fill('ann@example.org');
  await app.locator('form:has(input[type="email"]) button').click();
  await app.getByRole('table', { name: 'Positions' }).waitFor();
  await app.getByText('live', { exact: true }).waitFor();
  await app.waitForLoadState('networkidle');
  await take(app, 'app');
  await browser.close();
}

const dataDir = mkdtempSync(join(tmpdir(), 'pictures-'));
const stop = await startSandbox(dataDir);
try {
  await makeRecords();
  mkdirSync(FOLDER, { recursive: true });
  for (const colorScheme of ['light', 'dark']) await takePictures(colorScheme);
} finally {
  await stop();
  rmSync(dataDir, { recursive: true, force: true });
}
