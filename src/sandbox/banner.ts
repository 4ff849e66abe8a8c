import { SAMPLE_ADMINS, SAMPLE_PASSWORD } from './sandbox-settings.js';

export interface Addresses {
  api: string;
  control: string;
  chain: string;
  database: string;
  dataDir: string;
}

/** What stands on the screen once all is up: where everything is, and what to try first. */
export function banner({ api, control, chain, database, dataDir }: Addresses, apiLog: string): string {
  const rows = [
    ['API', `${api}/api`],
    ['API documents', `${api}/api/docs`],
    ['sandbox control', control],
    ['EVM node', chain],
    ['PostgreSQL', database],
    ['data', `${dataDir} (a fresh folder is a fresh platform)`],
    ['API log', apiLog],
  ] as const;
  const json = `-H 'content-type: application/json'`;
  return `
The platform is ready.

${rows.map(([what, where]) => `  ${what.padEnd(16)} ${where}`).join('\n')}

Sign in as a user (any e-mail address), and keep the token:

  IDP_TOKEN=$(curl -s ${control}/idp/token ${json} -d '{"email":"alice@example.org"}' | cut -d'"' -f4)
  curl -s -X POST ${api}/api/auth/idp/login -H "authorization: Bearer $IDP_TOKEN"

Sign in as an admin (${SAMPLE_ADMINS.map(({ email }) => email.split('@')[0]).join(', ')} @example.com):

  curl -s ${api}/api/admin/auth/login ${json} \\
    -d '{"email":"${SAMPLE_ADMINS[0].email}","password":"${SAMPLE_PASSWORD}"}'

See the whole story, from deposit to withdrawal, in a second terminal:

  npm run demo

Ctrl-C stops everything; the data stays.
`;
}
