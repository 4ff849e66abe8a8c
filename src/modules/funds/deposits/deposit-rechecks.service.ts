import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { ChainClient } from '../../providers/chain/chain.client.js';
import { DepositAddressesRepository } from './deposit-addresses.repository.js';
import { DepositLifecycleService } from './deposit-lifecycle.service.js';
import { DepositListsRepository } from './deposit-lists.repository.js';
import { DepositsRepository } from './deposits.repository.js';
import { isNodeBehind, isShownOnChain } from './domain/chain-transfers.js';
import { reorganisedAlert } from './domain/deposit-texts.js';
import { isLongUnseen } from './domain/deposit.state-machine.js';
import type { Deposit } from './entities/deposit.entity.js';

const NETWORK = 'ERC20';
const RECHECK_FOR_MS = DAY_MS;

/**
 * Looks up USDC deposits over ERC20 on chain until a day after they were credited or held below the minimum. A credit stays; an
 * alert is raised while the chain does not show the transfer, and resolved when the chain shows it again. A held deposit is not
 * released while the chain does not show it, and fails after 24 hours.
 */
@Injectable()
export class DepositRechecksService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly chain: ChainClient,
    private readonly addresses: DepositAddressesRepository,
    private readonly deposits: DepositsRepository,
    private readonly lists: DepositListsRepository,
    private readonly lifecycle: DepositLifecycleService,
    private readonly alerts: AlertsService,
  ) {}

  /** The hashes of credited and held deposits to look up now: those that were looked up longest ago. Marks these as looked up. */
  async takeDueHashes(): Promise<string[]> {
    return this.lists.takeHashesToRecheck(new Date(this.clock.now().getTime() - RECHECK_FOR_MS));
  }

  /** Throws BLOCKCHAIN_ERROR. */
  async recheckTransaction(hash: string): Promise<void> {
    // The newest block is read first: a node that catches up between the reads would otherwise seem to have lost the transfer.
    const newestBlock = await this.chain.newestBlock();
    const transaction = await this.chain.transaction(hash);
    await this.unitOfWork.runInTransaction(async (tx) => {
      const owners = await this.addresses.lockAddressesOfTransaction(tx, NETWORK, [], hash);
      const addresses = owners.map(({ address }) => address);
      for (const row of await this.deposits.findDepositsOfTransaction(tx, NETWORK, hash, addresses)) {
        if (row.currency !== 'USDC' || row.logIndex === null) continue;
        const isShown = isShownOnChain(transaction, row);
        const isBehind = isNodeBehind(newestBlock, row);
        const isConfirmed = isShown && (transaction?.confirmations ?? 0) >= row.requiredConfirmations;
        if (row.holdReason === 'BELOW_MINIMUM' && !isBehind) await this.updateHeld(tx, row, isConfirmed);
        if (row.status !== 'completed') continue;
        if (isShown) await this.alerts.resolveBySystem('deposit-reorganised', row.id, tx);
        else if (!isBehind)
          await this.alerts.raise(reorganisedAlert(row, 'the chain no longer shows its transfer'), tx);
      }
    });
  }

  private async updateHeld(tx: Tx, row: Deposit, isConfirmed: boolean): Promise<void> {
    const at = this.clock.now();
    if (row.succeeded !== isConfirmed) {
      Object.assign(row, { succeeded: isConfirmed, seenAt: at });
      await this.deposits.updateDeposit(tx, row);
      if (isConfirmed) await this.lifecycle.releaseHeld(tx, row, at);
    } else if (!isConfirmed && isLongUnseen(row, at)) {
      await this.lifecycle.failDeposit(tx, row, { failure: 'vanished' }, at);
    }
  }
}
