import { join, resolve } from 'node:path';
import { generateSync } from 'otplib';
import { callApi, DemoFailure, type Json } from './demo-client.js';
import { readJson, writeJson } from './json-file.js';
import { SAMPLE_ADMINS, SAMPLE_PASSWORD } from './sandbox-settings.js';

// `npm run sandbox:factor admin@example.com`: registers one-time codes for an admin of the sandbox, and prints the present code.

const STEP_SECONDS = 30;
const FILE = join(resolve(process.env.DATA_DIR || '.data'), 'factors.json');

/** The secrets of the admins' one-time codes, by e-mail address. */
type Secrets = Record<string, string>;

const nowSeconds = () => Math.floor(Date.now() / 1000);
const codeOf = (secret: string, epoch = nowSeconds()) => generateSync({ secret, epoch });

async function post(path: string, body: Json, token?: string): Promise<Json> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { status, body: reply } = await callApi('POST', path, body, headers);
  if (status < 300) return reply.data as Json;
  const { code, message } = reply.error as { code: string; message: string };
  throw new DemoFailure(`POST ${path}: ${code}: ${message}`);
}

/** Confirms the secret by the code of the step before, so that the present code is not used up. */
async function registerCodes(email: string): Promise<string> {
  const { token } = await post('/api/admin/auth/login', { email, password: SAMPLE_PASSWORD });
  const { secret } = (await post('/api/admin/totp', {}, token as string)) as { secret: string };
  const code = codeOf(secret, nowSeconds() - STEP_SECONDS);
  const { recoveryCodes } = await post('/api/admin/totp/confirm', { code }, token as string);
  console.log(`Registered. Recovery codes: ${(recoveryCodes as string[]).join(' ')}`);
  return secret;
}

async function printCode(email: string | undefined): Promise<void> {
  if (!email) throw new DemoFailure(`Name an admin: npm run sandbox:factor ${SAMPLE_ADMINS[0].email}`);
  const secrets = readJson<Secrets>(FILE) ?? {};
  const secret = secrets[email] ?? (await registerCodes(email));
  if (!secrets[email]) writeJson(FILE, { ...secrets, [email]: secret });
  const secondsLeft = STEP_SECONDS - (nowSeconds() % STEP_SECONDS);
  console.log(`${codeOf(secret)}  (for ${secondsLeft} seconds; counts once)`);
}

printCode(process.argv[2]).catch((error: unknown) => {
  console.error(error instanceof DemoFailure ? error.message : error);
  process.exitCode = 1;
});
