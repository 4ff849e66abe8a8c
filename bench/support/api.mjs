// Starts the built API on a seeded database and calls it.
import { Agent, request } from 'node:http';
import pg from 'pg';
import { startApi } from './platform.mjs';

// No poll of deposits during a measure, limits that are never reached, and time for slow reads of large tables.
const SETTINGS = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  DEPOSIT_POLL_SECONDS: '3600',
  DATABASE_STATEMENT_MS: '120000',
  DATABASE_POOL_WAIT_MS: '10000',
  DATABASE_LOCK_MS: '20000',
  ...Object.fromEntries(
    ['USER', 'ADMIN', 'SESSION', 'RPC', 'PUBLIC', 'ADDRESS', 'FAUCET', 'WEBHOOK', 'SIGN_IN'].map(
      (rateClass) => [`RATE_LIMIT_${rateClass}`, '100000000'],
    ),
  ),
};

/** Records the integrity checks of this night and the next as done, so that none disturbs the measurement. */
async function skipNightlyChecks(databaseUrl) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(
      `insert into integrity_run (id, checked_at, duration_ms, entries, status, broken, paused, night)
       select gen_random_uuid(), now(), 0, 0, 'holds', '[]', false, day::date
         from generate_series(current_date, current_date + 1, interval '1 day') as day
       on conflict (night) do nothing`,
    );
  } finally {
    await client.end();
  }
}

/** A function that sends a GET request over keep-alive connections and reads the whole response. */
export function keepAliveGet(url) {
  const agent = new Agent({ keepAlive: true });
  return (path, token) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const clientRequest = request(url + path, { agent, headers }, (response) => {
        const pieces = [];
        response.on('data', (piece) => pieces.push(piece));
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`GET ${path}: ${response.statusCode} ${text}`));
        });
      });
      clientRequest.once('error', reject).end();
    });
}

/** Starts an API process without a log and without the nightly integrity check. */
export async function startApiWithoutNightlyCheck(settings, providers) {
  await skipNightlyChecks(settings.DATABASE_URL);
  const env = { ...process.env, ...settings, ...SETTINGS };
  delete env.CLOCK_FILE; // without it the domain clock shows the real time
  const { url, pid, stop } = await startApi(env);
  const get = keepAliveGet(url);

  async function signIn(email) {
    const jwt = await providers.identity.token({ email, name: 'Ann Example' });
    const response = await fetch(`${url}/api/auth/idp/login`, {
      method: 'POST',
      headers: { authorization: `Bearer ${jwt}` },
    });
    const body = await response.json();
    if (response.status !== 200) throw new Error(`sign-in of ${email}: ${JSON.stringify(body)}`);
    return body.data.token;
  }

  return { url, pid, get, signIn, stop };
}
