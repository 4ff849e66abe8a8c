import { Injectable } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { CommittedEntriesRepository } from './committed-entries.repository.js';
import { leafHash } from './domain/merkle-hash.js';
import { leafTextOfRows } from './domain/log-leaf.js';
import { LogRepository } from './log.repository.js';
import type { SealedLeaf } from './proofs.types.js';

/** Reads leaves of the transparency log and computes their texts from the rows of the ledger. */
@Injectable()
export class LogLeavesService {
  constructor(
    private readonly config: AppConfig,
    private readonly entries: CommittedEntriesRepository,
    private readonly repository: LogRepository,
  ) {}

  /** In the order of the log. Omits ledger transactions that are not sealed. */
  async listLeavesOfTransactions(transactionIds: readonly string[]): Promise<SealedLeaf[]> {
    const leaves = await this.repository.findLeavesOfTransactions(transactionIds);
    const ids = leaves.map(({ transactionId }) => transactionId);
    const transactions = ids.length > 0 ? await this.entries.findTransactionsById(ids) : [];
    const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]));
    return leaves.map(({ leafIndex, transactionId, nonce }) => {
      const transaction = byId.get(transactionId);
      if (!transaction) throw new Error(`The ledger has no transaction ${transactionId}.`);
      const leafText = leafTextOfRows(transaction, nonce);
      return { leafIndex, transactionId, leafText, leafHash: leafHash(leafText) };
    });
  }

  /** In the order of the log. Throws PROOF_PENDING unless all transactions are sealed. */
  async getLeavesOfTransactions(transactionIds: readonly string[]): Promise<SealedLeaf[]> {
    const leaves = await this.listLeavesOfTransactions(transactionIds);
    if (leaves.length < new Set(transactionIds).size)
      throwError('PROOF_PENDING', undefined, { retryAfterSeconds: this.config.LOG_SEAL_SECONDS });
    return leaves;
  }
}
