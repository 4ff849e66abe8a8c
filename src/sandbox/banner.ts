import { relative } from 'node:path';
import { DEFAULT_API_ENV } from './api-env.js';
import { SAMPLE_ADMINS, SAMPLE_PASSWORD } from './sandbox-settings.js';

const FOUR_EYES_ON =
  'on: a second admin approves sensitive changes at /api/admin/approvals; FOUR_EYES=off npm start: one admin is enough';
const FOUR_EYES_OFF = 'off: one admin makes sensitive changes alone; npm run demo needs FOUR_EYES=on';

const REHEARSAL = `
  rehearsal        NODE_ENV=production with simulated providers and chain; no real money; real time`;

/** The URLs of the sandbox's programs, and the folder of their data. */
export interface Addresses {
  api: string;
  control: string;
  chain: string;
  database: string;
  dataDir: string;
}

/** The text that is printed after the start: addresses, and first calls to try. */
export function banner(
  addresses: Addresses,
  apiLog: string,
  { fourEyes, isRehearsal }: { fourEyes: string | undefined; isRehearsal: boolean },
): string {
  const { api, control } = addresses;
  const json = `-H 'content-type: application/json'`;
  return `
The platform is ready.

${tableOf(addresses)}
  API log          ${apiLog}
  four eyes        ${fourEyes === 'off' ? FOUR_EYES_OFF : FOUR_EYES_ON}${isRehearsal ? REHEARSAL : ''}

Sign in as a user (any e-mail address), and keep the token:

  IDP_TOKEN=$(curl -s ${control}/idp/token ${json} -d '{"email":"alice@example.org"}' | cut -d'"' -f4)
  curl -s -X POST ${api}/api/auth/idp/login -H "authorization: Bearer $IDP_TOKEN"

Sign in as an admin (${SAMPLE_ADMINS.map(({ email }) => email.split('@')[0]).join(', ')} @example.com):

  curl -s ${api}/api/admin/auth/login ${json} \\
    -d '{"email":"${SAMPLE_ADMINS[0].email}","password":"${SAMPLE_PASSWORD}"}'

Give an admin a second factor, and print its present code with each call:

  npm run sandbox:factor ${SAMPLE_ADMINS[0].email}

Run the demo, from deposit to withdrawal, in a second terminal:

  npm run demo

Ctrl-C stops everything; the data stays.
`;
}

/** The text for a sandbox without an API: how to start one. */
export function bannerWithoutApi(addresses: Addresses, envFile: string): string {
  const file = relative('', envFile);
  const command =
    file === DEFAULT_API_ENV ? 'npm run start:dev' : `npx nest start --watch --no-shell --env-file ${file}`;
  return `
The sandbox is ready, without the API.

${tableOf(addresses)}

Start the API in a second terminal; it is compiled and started again after each change in src:

  ${command}

Ctrl-C stops the sandbox; the data stays.
`;
}

function tableOf({ api, control, chain, database, dataDir }: Addresses): string {
  return [
    ["operators' console", `${api}/console`],
    ["users' page", `${api}/app`],
    ['API', `${api}/api`],
    ['API documents', `${api}/api/docs`],
    ['sandbox control', control],
    ['EVM node', chain],
    ['PostgreSQL', database],
    ['data', `${dataDir} (an empty folder starts an empty platform)`],
  ]
    .map(([name = '', address]) => `  ${name.padEnd(20)} ${address}`)
    .join('\n');
}
