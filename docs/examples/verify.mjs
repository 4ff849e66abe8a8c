// Verifies a user's money with the verifier of the client: TOKEN=<access token> node docs/examples/verify.mjs [folder]
// The folder (my-proofs unless given) keeps the keys of the log and the newest checkpoint that was verified.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '../../dist/client/client.js';
import * as verifier from '../../dist/client/verify.js';

const baseUrl = process.env.API ?? 'http://localhost:3000';
const folder = process.argv[2] ?? 'my-proofs';
const api = new Client({ baseUrl, token: process.env.TOKEN });
const read = (path) => fetch(`${baseUrl}/api/proofs/${path}`);
const readText = async (path) => (await read(path)).text();
const readTile = async (path) => {
  const response = await read(`tile/${path}`);
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : undefined;
};

mkdirSync(folder, { recursive: true });
const [keysFile, checkpointFile] = [join(folder, 'keys.txt'), join(folder, 'checkpoint.txt')];
const isFirstTime = !existsSync(keysFile);
const keys = isFirstTime ? await readText('key') : readFileSync(keysFile, 'utf8');
const newest = await readText('checkpoint');
const { size } = await verifier.verifyCheckpoint(newest, keys);

/** Every checkpoint has to belong to one history, also those that come with a proof. */
async function verifySameLog(checkpoint) {
  const other = (await verifier.verifyCheckpoint(checkpoint, keys)).size;
  const [from, to] = [Math.min(other, size), Math.max(other, size)];
  const { data } = await api.call('GET /api/proofs/consistency', { query: { from, to } });
  const [older, newer] = other <= size ? [checkpoint, newest] : [newest, checkpoint];
  await verifier.verifyConsistency(older, newer, data.path, keys);
  return other;
}

if (!isFirstTime) {
  const from = await verifySameLog(readFileSync(checkpointFile, 'utf8'));
  console.log(`The log of ${size} leaves continues the kept one of ${from} leaves.`);
}

const { data: records } = await api.call('GET /api/user/transactions', { query: { limit: 10 } });
for (const { id, type } of records) {
  const { data } = await api.call('GET /api/user/transactions/{id}/proof', { path: { id } });
  for (const proof of data.proofs) {
    const { effectiveAt, entries } = await verifier.verifyInclusion(proof, keys);
    await verifySameLog(proof.checkpoint);
    const amounts = entries.map(({ account, amount, asset }) => `${account} ${amount} ${asset}`);
    console.log(`${type} at ${effectiveAt}, leaf ${proof.leafIndex}: ${amounts.join(', ')}`);
  }
}

const { data: mine } = await api.call('GET /api/user/proof-of-liabilities');
const { data: trees } = await api.call('GET /api/proofs/liabilities/{day}', { path: { day: mine.day } });
const published = trees.find(({ asset }) => asset === mine.asset);
await verifier.verifyPublishedLiabilities(published, keys, readTile);
await verifySameLog(published.checkpoint);
await verifier.verifyLiability(mine, published, mine.userId);
console.log(`${mine.amount} of ${mine.total} ${mine.asset} owed at the end of ${mine.day} are yours.`);

writeFileSync(keysFile, isFirstTime ? keys : await readText('key')); // also keys that have replaced the kept ones
writeFileSync(checkpointFile, newest);
