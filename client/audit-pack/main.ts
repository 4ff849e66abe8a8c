// The program verify.mjs of audit packs: node verify.mjs [folder]. Verifies the folder that it is in unless another one is given.
import { fileURLToPath } from 'node:url';
import { verifyPack } from './verify-pack.js';

const folder = process.argv[2] ?? fileURLToPath(new URL('.', import.meta.url));
const { right, notVerified, wrong, more } = await verifyPack(folder);
for (const text of right) process.stdout.write(`right  ${text}\n`);
for (const text of notVerified) process.stdout.write(`not verified: ${text}\n`);
for (const text of wrong) process.stderr.write(`WRONG  ${text}\n`);
if (more > 0) process.stderr.write(`WRONG  and ${more} more\n`);
const verdict = notVerified.length === 0 ? 'right' : 'right, except for what was not verified';
process.stdout.write(`The audit pack is ${wrong.length === 0 ? verdict : 'WRONG'}.\n`);
process.exitCode = wrong.length === 0 ? 0 : 1;
