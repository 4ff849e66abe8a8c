import { ProofError } from 'stablecoin-platform-client/verify';
import { api, type Answer } from '../../api/client.ts';
import { changeOf, type Leaf } from '../../proofs/leaf.ts';
import { readLog, verifyLeaves } from '../../proofs/verify-log.ts';
import { add, compareDecimals } from '../../ui/decimal.ts';

export type Transaction = Answer<'GET /api/admin/transactions/{id}'>['data'];

export interface ProvenTransaction {
  leaves: readonly Leaf[];
  /** The number of leaves of the signed log in which `leaves` were found. */
  size: number;
}

/** Verifies that the postings of a transaction are in the log, and that they have the amount that the page shows. */
export async function verifyRecord(transaction: Transaction): Promise<ProvenTransaction> {
  const log = await readLog();
  const path = { id: transaction.id };
  const { proofs } = (await api.call('GET /api/admin/transactions/{id}/proof', { path })).data;
  const leaves = await verifyLeaves(proofs, log);
  requireSameRecord(transaction, leaves);
  return { size: log.size, leaves };
}

/** Balances are in USDC: USDT is credited in USDC, and ETH is no part of the balance. */
const BALANCE_ASSET = 'USDC';
const isSame = (left: string, right: string) => compareDecimals(left, right) === 0;
const withoutSign = (amount: string) => amount.replace('-', '');

function requireSameRecord(transaction: Transaction, leaves: readonly Leaf[]): void {
  const { userID, balanceChange, amount, currency, status } = transaction;
  if (leaves.length === 0 && status !== 'confirmed') return; // it has moved no money
  const isExpected =
    userID === null || balanceChange === null || isSame(balanceChange, '0')
      ? leaves.some((leaf) => hasPosting(leaf, amount, currency))
      : movesBalance(leaves, `user.available/${userID}`, balanceChange);
  if (!isExpected) throw new ProofError(`The postings in the log are not those of ${amount} ${currency}.`);
}

const hasPosting = ({ entries }: Leaf, amount: string, currency: string): boolean =>
  entries.some(
    (posting) => posting.asset === currency && isSame(withoutSign(posting.amount), withoutSign(amount)),
  );

/** True if one of the leaves, or all of them together, change the account by `change`. */
function movesBalance(leaves: readonly Leaf[], account: string, change: string): boolean {
  const changes = leaves.map((leaf) => changeOf(leaf, account, BALANCE_ASSET));
  const sum = changes.reduce((total, one) => add(total, one), '0');
  return [sum, ...changes].some((one) => isSame(one, change));
}
