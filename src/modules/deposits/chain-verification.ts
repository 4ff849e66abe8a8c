import { Injectable, Logger } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import type { Money } from '../../common/money.js';
import type { ChainTransaction } from '../blockchain/chain.js';
import { NOT_MINED } from '../blockchain/mined.js';
import { DepositProgress } from './deposit-progress.js';
import { DepositRecords, hasVanished, isOpenRow } from './deposit-records.js';
import type { Deposit } from './entities/deposit.entity.js';
import type { DepositCurrency } from './networks.js';
import { ignored, RECORDED, type Observation, type Word } from './observation.js';

const NETWORK = 'ERC20';
const NEVER_MINED = 'The transaction was not mined within 24 hours.';

/** Something that a mined transaction pays to one of our addresses. */
export interface Receipt {
  readonly currency: Extract<DepositCurrency, 'USDC' | 'ETH'>;
  readonly from: string;
  readonly to: string;
  readonly amount: Money;
  readonly logIndex: number | null;
}

type Owner = { readonly userId: string; readonly address: string };

/**
 * Turns a transaction on chain into deposit records. Each transfer to a deposit address is recorded for the owner of that
 * address, whether or not the owner named the hash. A claim is confirmed or refuted.
 * `found` was read before the transaction of the database began.
 */
@Injectable()
export class ChainVerification {
  private readonly log = new Logger('Deposits');

  constructor(
    private readonly clock: Clock,
    private readonly records: DepositRecords,
    private readonly progress: DepositProgress,
  ) {}

  async apply(tx: Tx, hash: string, found: ChainTransaction | undefined, word?: Word): Promise<Observation> {
    const receipts = receiptsOf(found);
    const named = [...receipts.map(({ to }) => to), ...(word ? [word.address] : [])];
    const owners = await this.records.lockAddresses(tx, NETWORK, named, hash);
    const at = this.clock.now();
    const rows = await this.records.ofTransaction(
      tx,
      NETWORK,
      hash,
      owners.map(({ address }) => address),
    );
    const owner = word && owners.find(({ address }) => address === word.address);
    if (!found?.succeeded) {
      if (word && owner) await this.recordWord(tx, rows, word, owner, at);
      for (const row of rows.filter((known) => decidedByChain(known) && isOpenRow(known)))
        await this.withoutSuccess(tx, row, found, at);
    } else {
      await this.withSuccess(tx, { rows, found, receipts, owners, at });
    }
    if (!word) return RECORDED;
    if (!owner) return ignored("the address is nobody's here");
    return this.nameAs(tx, rows, word);
  }

  /** Seen by the provider before the chain shows it to us. */
  private async recordWord(tx: Tx, rows: Deposit[], word: Word, owner: Owner, at: Date): Promise<void> {
    const known = rows.filter((row) => row.userId === owner.userId && row.currency === word.currency);
    const claim = known.find(({ onlyClaimed }) => onlyClaimed);
    if (claim) await this.progress.confirmClaim(tx, claim, word, at);
    if (known.length > 0) return;
    if (await this.records.ofProvider(tx, word.id)) return;
    const { hash: txHash, senderAddress: fromAddress, address: toAddress, amount, currency } = word;
    const seen = {
      userId: owner.userId,
      network: NETWORK,
      currency,
      txHash,
      logIndex: null,
      providerDepositId: null,
    } as const;
    rows.push(await this.records.add(tx, { ...seen, fromAddress, toAddress, amount }, at));
  }

  /** Unknown, waiting in the pool, or reverted. */
  private async withoutSuccess(
    tx: Tx,
    row: Deposit,
    found: ChainTransaction | undefined,
    at: Date,
  ): Promise<void> {
    if (hasVanished(row, at)) {
      if (!found) return this.progress.fail(tx, row, { failure: 'vanished' }, at);
      if (row.onlyClaimed && found.succeeded === null)
        return this.progress.fail(tx, row, { failure: 'vanished', reason: NEVER_MINED }, at);
    }
    const { blockNumber, confirmations, gasUsed, gasPrice } = found ?? NOT_MINED;
    const outcome = found?.succeeded === false ? 'failed' : 'underway';
    // The age of a claim counts from the claim, also while its transaction waits in the pool.
    const learnt = { blockNumber, gasUsed, gasPrice, ...(found && !row.onlyClaimed ? { seenAt: at } : {}) };
    await this.progress.follow(tx, row, { by: 'chain', outcome, confirmations }, learnt, at, {
      failure: 'reverted',
    });
  }

  private async withSuccess(tx: Tx, seen: Success): Promise<void> {
    const { rows, found, receipts, owners, at } = seen;
    const shown = new Set<Deposit>();
    for (const receipt of receipts) {
      const owner = owners.find(({ address }) => address === receipt.to);
      if (!owner) continue;
      const known = rows.find((row) => !shown.has(row) && matches(row, receipt, owner, rows));
      const row = known ?? (await this.addReceipt(tx, rows, receipt, owner, found.hash, at));
      shown.add(row);
      if (!decidedByChain(row)) continue;
      const { from: fromAddress, to: toAddress, amount, logIndex } = receipt;
      const { blockNumber, confirmations, gasUsed, gasPrice } = found;
      const shownNow = { fromAddress, toAddress, amount, logIndex, seenAt: at, onlyClaimed: false };
      const learnt = { ...shownNow, blockNumber, gasUsed, gasPrice };
      await this.progress.follow(tx, row, { by: 'chain', outcome: 'succeeded', confirmations }, learnt, at);
    }
    for (const row of rows) {
      if (shown.has(row) || !decidedByChain(row) || !isOpenRow(row)) continue;
      await this.progress.fail(tx, row, { failure: 'unproven' }, at);
    }
  }

  private async addReceipt(
    tx: Tx,
    rows: Deposit[],
    receipt: Receipt,
    owner: Owner,
    txHash: string,
    at: Date,
  ): Promise<Deposit> {
    const { currency, from: fromAddress, to: toAddress, amount, logIndex } = receipt;
    const seen = {
      userId: owner.userId,
      network: NETWORK,
      currency,
      txHash,
      logIndex,
      providerDepositId: null,
    } as const;
    const row = await this.records.add(tx, { ...seen, fromAddress, toAddress, amount }, at);
    rows.push(row);
    return row;
  }

  /** Notes the provider's id with the record that its word is about. */
  private async nameAs(tx: Tx, rows: Deposit[], word: Word): Promise<Observation> {
    const named = await this.records.ofProvider(tx, word.id);
    if (named)
      return named.txHash === word.hash ? RECORDED : ignored('the id is recorded with another transfer');
    const candidates = rows.filter(
      (row) => row.toAddress === word.address && row.currency === word.currency && row.failure !== 'unproven',
    );
    const unnamed = candidates.filter((row) => row.providerDepositId === null);
    const row = unnamed.find(({ amount }) => amount.equals(word.amount)) ?? unnamed[0];
    if (row) {
      await this.records.name(tx, row, word.id);
      return RECORDED;
    }
    this.log.warn({
      msg: 'the provider tells of a transfer that the chain does not show',
      providerDepositId: word.id,
    });
    return ignored(
      candidates.length > 0
        ? 'the transfer is recorded under another id'
        : 'the chain shows no such transfer',
    );
  }
}

interface Success {
  readonly rows: Deposit[];
  readonly found: ChainTransaction;
  readonly receipts: readonly Receipt[];
  readonly owners: readonly Owner[];
  readonly at: Date;
}

/**
 * USDC is read on chain. So is ether that only its owner told of; what the provider told of may have come from
 * inside a contract, which we do not see, so there its word counts.
 */
function decidedByChain({ currency, providerDepositId }: Deposit): boolean {
  return currency === 'USDC' || (currency === 'ETH' && providerDepositId === null);
}

/** The transfers of a transaction; none before it is mined, and none if it was reverted. */
export function receiptsOf(found: ChainTransaction | undefined): Receipt[] {
  if (!found?.succeeded) return [];
  const { transfers, ether } = found;
  const tokens = transfers.map(({ from, to, amount, logIndex }) => ({
    currency: 'USDC' as const,
    from,
    to,
    amount,
    logIndex,
  }));
  const all: Receipt[] = ether ? [{ currency: 'ETH', ...ether, logIndex: null }, ...tokens] : tokens;
  return all.filter(({ amount }) => amount.isPositive());
}

/** The record of a receipt: the one in its place or, where no place is known yet, one that its owner waits for. */
function matches(row: Deposit, receipt: Receipt, owner: Owner, rows: Deposit[]): boolean {
  if (row.currency !== receipt.currency || row.userId !== owner.userId) return false;
  if (row.logIndex === receipt.logIndex) return true;
  const isPlaced = rows.some(
    ({ logIndex, currency }) => logIndex === receipt.logIndex && currency === receipt.currency,
  );
  return row.logIndex === null && isOpenRow(row) && !isPlaced;
}
