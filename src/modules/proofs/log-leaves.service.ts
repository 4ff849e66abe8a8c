import { Injectable } from '@nestjs/common';
import { fail } from '../../common/errors/domain-error.js';
import { AppConfig } from '../../config/app-config.js';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { leafHash } from './domain/merkle-hash.js';
import { leafTextOf } from './domain/sealed-leaf.js';
import { LogRepository } from './log.repository.js';
import type { SealedLeaf, StoredLeaf } from './proofs.types.js';

/** Reads leaves with their texts, which are computed from the rows of the ledger. */
@Injectable()
export class LogLeavesService {
  constructor(
    private readonly config: AppConfig,
    private readonly entries: CommittedEntriesRepository,
    private readonly repository: LogRepository,
  ) {}

  /** The leaves of ledger transactions, in the order of the log. Those that are not sealed yet are left out. */
  async findLeavesOf(transactionIds: readonly string[]): Promise<SealedLeaf[]> {
    return this.withTexts(await this.repository.findLeavesOfTransactions(transactionIds));
  }

  /** As `findLeavesOf`. Throws PROOF_PENDING unless all of them are sealed. */
  async getLeavesOf(transactionIds: readonly string[]): Promise<SealedLeaf[]> {
    const leaves = await this.findLeavesOf(transactionIds);
    if (leaves.length < new Set(transactionIds).size)
      fail('PROOF_PENDING', undefined, { retryAfterSeconds: this.config.LOG_SEAL_SECONDS });
    return leaves;
  }

  /** The leaves from `start` up to, not including, `end`; the caller keeps the range small. */
  async findLeafRange(start: number, end: number): Promise<SealedLeaf[]> {
    return this.withTexts(await this.repository.findLeafRange(start, end));
  }

  private async withTexts(leaves: readonly StoredLeaf[]): Promise<SealedLeaf[]> {
    const ids = leaves.map(({ transactionId }) => transactionId).filter((id) => id !== null);
    const transactions = ids.length > 0 ? await this.entries.findTransactionsById(ids) : [];
    const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]));
    return leaves.map(({ leafIndex, ...leaf }) => {
      if (leaf.text !== null)
        return { leafIndex, transactionId: null, leafText: leaf.text, leafHash: leafHash(leaf.text) };
      const transaction = byId.get(leaf.transactionId);
      if (!transaction) throw new Error(`The ledger has no transaction ${leaf.transactionId}.`);
      const leafText = leafTextOf(transaction, leaf.nonce);
      return { leafIndex, transactionId: transaction.id, leafText, leafHash: leafHash(leafText) };
    });
  }
}
