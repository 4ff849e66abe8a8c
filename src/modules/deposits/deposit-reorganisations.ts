import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { Chain, type ChainTransaction } from '../blockchain/chain.js';
import { reorganisedAlert } from './deposit-alerts.js';
import { DepositRecords } from './deposit-records.js';
import type { Deposit } from './entities/deposit.entity.js';

const NETWORK = 'ERC20';
const LOOK_FOR_MS = 24 * 3_600_000;
const MOST_AT_ONCE = 20; // of one poll; each costs up to four questions to the node

/**
 * Looks credited deposits up on chain for a day after their credit. The credit stays; an alert is raised while the chain
 * does not show the transfer, and settled when it does again.
 */
@Injectable()
export class DepositReorganisations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly records: DepositRecords,
    private readonly alerts: AlertsService,
  ) {}

  /** Transactions to look up now: those that were looked up longest ago. */
  async due(): Promise<string[]> {
    const since = new Date(this.clock.now().getTime() - LOOK_FOR_MS);
    const rows = await this.dataSource.query<{ hash: string }[]>(
      `with due as (
         select id from deposit
          where network = '${NETWORK}' and currency = 'USDC' and status = 'completed' and confirmed_at > $1
          order by checked_at nulls first, id limit ${MOST_AT_ONCE} for update skip locked
       ), checked as (
         update deposit set checked_at = clock_timestamp() from due where deposit.id = due.id returning tx_hash
       )
       select distinct tx_hash as hash from checked`,
      [since],
    );
    return rows.map(({ hash }) => hash);
  }

  /** Throws BLOCKCHAIN_ERROR. */
  async recheck(hash: string): Promise<void> {
    const found = await this.chain.transaction(hash);
    const newestBlock = await this.chain.newestBlock();
    await this.unitOfWork.runInTransaction(async (tx) => {
      const owners = await this.records.lockAddresses(tx, NETWORK, [], hash);
      const rows = await this.records.ofTransaction(
        tx,
        NETWORK,
        hash,
        owners.map(({ address }) => address),
      );
      for (const row of rows) {
        if (row.status !== 'completed' || row.currency !== 'USDC' || row.logIndex === null) continue;
        if (shows(found, row)) await this.alerts.settle('deposit-reorganised', row.id, tx);
        else if (!isBehind(newestBlock, row))
          await this.alerts.raise(reorganisedAlert(row, 'the chain no longer shows its transfer'), tx);
      }
    });
  }
}

function shows(found: ChainTransaction | undefined, row: Deposit): boolean {
  if (!found?.succeeded) return false;
  return found.transfers.some(
    ({ to, amount, logIndex }) =>
      to === row.toAddress && logIndex === row.logIndex && amount.equals(row.amount),
  );
}

/** A node that has not come as far as the block that credited the deposit says nothing about it. */
function isBehind(newestBlock: number, { blockNumber, requiredConfirmations }: Deposit): boolean {
  return blockNumber !== null && newestBlock < blockNumber + requiredConfirmations - 1;
}
