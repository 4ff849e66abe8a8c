import { Money } from '../common/money.js';
import { callApi, DemoFailure, fetchBytes, fetchText, type Person, until } from './demo-client.js';
import { requireEqual, requireThat, printStep } from './demo-output.js';
import type { LiabilityProof, PublishedLiabilities, SignedReceipt, Verifier } from './demo-verifier.js';
import { loadVerifier, type TransactionProof } from './demo-verifier.js';

// The user verifies the platform's proofs with the verifier of client/: proofs of the log with the keys that the user saved
// at the start, and the receipt with the keys that the platform publishes as a JWKS.

/** The verifier keys of the log and a signed checkpoint, which the user saved at the start of the demo. */
export interface KeysAndCheckpoint {
  readonly keys: string;
  readonly checkpoint: string;
}

export async function saveKeysAndCheckpoint(): Promise<KeysAndCheckpoint> {
  return { keys: await fetchText('/api/proofs/key'), checkpoint: await fetchText('/api/proofs/checkpoint') };
}

/** The id and the day of the deposit, by which an auditor finds it. */
export interface ProvenDeposit {
  readonly id: string;
  readonly day: string;
}

interface Leaf {
  readonly effectiveAt: string;
  readonly reference: { readonly id: string };
  readonly entries: readonly { readonly account: string; readonly amount: string }[];
}

/** Verifies proofs of all kinds. Returns the user's deposit of `amount`, whose inclusion in the log is proven. */
export async function verifyProofs(
  user: Person,
  saved: KeysAndCheckpoint,
  amount: string,
): Promise<ProvenDeposit> {
  const verifier = await loadVerifier();
  const { id: userId } = await user.ask<{ id: string }>('GET', '/api/auth/user/profile');
  const deposit = await verifyDepositInclusion(verifier, user, userId, saved, amount);
  await verifyLogConsistency(verifier, saved);
  await verifyUserLiabilities(verifier, user, userId, saved);
  await verifyInvestmentReceipt(verifier, user);
  return deposit;
}

async function verifyDepositInclusion(
  verifier: Verifier,
  user: Person,
  userId: string,
  { keys }: KeysAndCheckpoint,
  amount: string,
): Promise<ProvenDeposit> {
  const [record] = await user.ask<{ id: string }[]>('GET', '/api/user/transactions?type=deposit');
  const path = `/api/user/transactions/${record?.id}/proof`;
  const { proofs } = await user.ask<{ proofs: TransactionProof[] }>('GET', path);
  const leaves = await Promise.all(
    proofs.map((proof) => verifier.verifyInclusion(proof, keys) as Promise<Leaf>),
  );
  const account = `user.available/${userId}`;
  const index = leaves.findIndex(({ entries }) => entries.some((entry) => entry.account === account));
  const leaf = leaves[index];
  const proof = proofs[index];
  const entry = leaf?.entries.find((candidate) => candidate.account === account);
  requireEqual(entry?.amount, amount, "the amount in the leaf of the user's deposit");
  printStep(
    `the user verifies that the deposit is in the transparency log: leaf ${proof?.leafIndex} of ${proof?.treeSize} credits ${amount} USDC, and ${proof?.path.length} hashes lead to the signed root`,
  );
  return { id: leaf?.reference.id ?? '', day: leaf?.effectiveAt.slice(0, 10) ?? '' };
}

/** The size of the log, which is the second line of a checkpoint. */
const logSize = (checkpoint: string) => Number(checkpoint.split('\n')[1]);

async function verifyLogConsistency(
  verifier: Verifier,
  { keys, checkpoint }: KeysAndCheckpoint,
): Promise<void> {
  const from = logSize(checkpoint);
  const newest = await fetchText('/api/proofs/checkpoint');
  const to = logSize(newest);
  const { path } = await readPublished<{ path: string[] }>(`/api/proofs/consistency?from=${from}&to=${to}`);
  await verifier.verifyConsistency(checkpoint, newest, path, keys);
  requireThat(to > from, 'the log has not grown');
  printStep(
    `verifies that the log of ${to} leaves continues the one of ${from} leaves whose checkpoint was saved at the start`,
  );
}

/** Waits until a background job has closed a day, and verifies the user's proof of liabilities of the last closed day. */
async function verifyUserLiabilities(
  verifier: Verifier,
  user: Person,
  userId: string,
  { keys }: KeysAndCheckpoint,
): Promise<void> {
  const proof = await until('a closed day', () =>
    user.askIfFound<LiabilityProof>('/api/user/proof-of-liabilities'),
  );
  const { day } = proof;
  const trees = await readPublished<PublishedLiabilities[]>(`/api/proofs/liabilities/${day}`);
  const published = trees.find(({ asset }) => asset === proof.asset);
  if (!published) throw new DemoFailure(`no liabilities in ${proof.asset} were published for ${day}`);
  await verifier.verifyPublishedLiabilities(published, keys, (path) =>
    fetchBytes(`/api/proofs/tile/${path}`),
  );
  await verifier.verifyLiability(proof, published, userId);
  const { available, reserved, invested, held } = proof.components;
  printStep(
    `verifies the proof of liabilities: of the ${published.total} USDC that the platform owed to its users at the end of ${day}, ${proof.amount} are the user's (${available} available, ${reserved} reserved, ${invested} invested, ${held} held)`,
  );
}

interface InvestmentReceipt {
  readonly units: string;
  readonly days: readonly { readonly nav: string }[];
  readonly finalValue: string;
  readonly fees: readonly { readonly amount: string }[];
  readonly withdrawnAmount: string;
}

/** Verifies the receipt of the closed investment and computes its value again from units and NAV. */
async function verifyInvestmentReceipt(verifier: Verifier, user: Person): Promise<void> {
  const closed = await user.ask<{ id: string; status: string }[]>(
    'GET',
    '/api/user/investments?status=closed',
  );
  const receipt = await user.ask<SignedReceipt>('GET', `/api/user/investments/${closed[0]?.id}/receipt`);
  const jwks = JSON.parse(await fetchText('/.well-known/jwks.json')) as unknown;
  const { units, days, finalValue, fees, withdrawnAmount } = (await verifier.verifyReceipt(
    receipt,
    jwks,
  )) as InvestmentReceipt;
  const nav = days.at(-1)?.nav ?? '';
  const value = Money.of(units).times(Money.of(nav)).roundHalfEven(6);
  requireEqual(finalValue, value.toWire(), 'the final value in the receipt');
  const paid = value.minus(Money.sum(fees.map(({ amount }) => Money.of(amount))));
  requireEqual(withdrawnAmount, paid.toWire(), 'the amount that the receipt says was paid');
  printStep(
    `verifies the signed receipt of the closed investment and computes its value again: ${units} units × ${nav} = ${finalValue} USDC, ${withdrawnAmount} after fees`,
  );
}

async function readPublished<Data>(path: string): Promise<Data> {
  return (await callApi('GET', path)).body.data as Data;
}
