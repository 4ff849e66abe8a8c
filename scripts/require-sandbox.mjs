// Run before `npm run start:dev` and `npm run start:debug`: fails with instructions if the sandbox is not running.
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

// Written by `npm run sandbox` and removed when it stops; remains after a kill.
const FILE = '.data/api.env';

const { SANDBOX_URL } = existsSync(FILE) ? parseEnv(readFileSync(FILE, 'utf8')) : {};
const isRunning = SANDBOX_URL !== undefined && (await fetch(`${SANDBOX_URL}/health`).catch(() => undefined));
if (!isRunning) {
  console.error(`The sandbox is not running. Start it in another terminal, wait until it is ready, and try again:

  npm run sandbox

It starts PostgreSQL, the EVM node and the providers, and writes the settings of the API to ${FILE}.
If \`npm start\` is running, stop it first: it starts the same parts, with an API that does not watch src.`);
  process.exit(1);
}
