import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { DomainEvents } from '../../database/domain-events.js';
import type { Tx } from '../../database/unit-of-work.js';
import { newId } from '../../common/ids.js';
import { minedOf } from '../blockchain/mined.js';
import type { DepositAddress } from './entities/deposit-address.entity.js';
import { Deposit } from './entities/deposit.entity.js';
import type { DepositEvent } from './deposit.events.js';
import { isOpen } from './domain/deposit.state-machine.js';
import { reasonOf } from './deposit.words.js';
import { requiredConfirmations, type Network } from './networks.js';

type DepositFields = Pick<
  Deposit,
  | 'userId'
  | 'network'
  | 'currency'
  | 'txHash'
  | 'logIndex'
  | 'providerDepositId'
  | 'onlyClaimed'
  | 'fromAddress'
  | 'toAddress'
  | 'amount'
>;

type NewDeposit = Omit<DepositFields, 'onlyClaimed'> & Partial<Pick<DepositFields, 'onlyClaimed'>>;

/** What vanished, or never was what its owner said, does not hold a transfer's identity any longer. */
const HOLDS_IDENTITY = `(failure is null or failure not in ('vanished', 'unproven'))`;

/** The rows of deposits, and the facts told with them. */
@Injectable()
export class DepositRecords {
  constructor(
    private readonly config: AppConfig,
    private readonly domainEvents: DomainEvents,
  ) {}

  /**
   * Locks the deposit addresses that a transaction can be about: the named ones, and those of what is recorded
   * of it. Everything that is written about a deposit is written under the lock of its address.
   */
  async lockAddresses(
    tx: Tx,
    network: Network,
    named: string[],
    hash: string,
  ): Promise<Pick<DepositAddress, 'userId' | 'address'>[]> {
    const rows = (await tx.query(
      `select user_id, address from deposit_address
        where network = $1
          and (address = any($2) or address in (select to_address from deposit where network = $1 and tx_hash = $3))
        order by id for update`,
      [network, named, hash],
    )) as { user_id: string; address: string }[];
    return rows.map((row) => ({ userId: row.user_id, address: row.address }));
  }

  /** What is recorded of a transaction at these addresses, oldest first. */
  ofTransaction(tx: Tx, network: Network, hash: string, addresses: string[]): Promise<Deposit[]> {
    return tx
      .createQueryBuilder(Deposit, 'deposit')
      .where('network = :network and tx_hash = :hash and to_address = any(:addresses)', {
        network,
        hash,
        addresses,
      })
      .andWhere(HOLDS_IDENTITY)
      .orderBy('created_at')
      .addOrderBy('id')
      .getMany();
  }

  /** What is recorded under the provider's id. */
  async ofProvider(tx: Tx, providerDepositId: string): Promise<Deposit | undefined> {
    const row = await tx
      .createQueryBuilder(Deposit, 'deposit')
      .where('provider_deposit_id = :providerDepositId', { providerDepositId })
      .andWhere(HOLDS_IDENTITY)
      .getOne();
    return row ?? undefined;
  }

  /** Records a deposit at its first sight. */
  async add(tx: Tx, seen: NewDeposit, at: Date): Promise<Deposit> {
    const row = tx.create(Deposit, {
      onlyClaimed: false,
      ...seen,
      id: newId(),
      status: 'pending',
      credited: null,
      confirmations: 0,
      requiredConfirmations: requiredConfirmations(this.config, seen.network),
      succeeded: false,
      holdReason: null,
      failure: null,
      reason: null,
      blockNumber: null,
      gasUsed: null,
      gasPrice: null,
      createdAt: at,
      updatedAt: at,
      seenAt: at,
      confirmedAt: null,
    });
    await tx.insert(Deposit, row);
    await this.tell(tx, row.onlyClaimed ? 'deposit.claimed' : 'deposit.seen', row, at);
    return row;
  }

  /** How many open claims a user has. Stable while the address that the user claims for is locked. */
  async openClaimsOf(tx: Tx, userId: string): Promise<number> {
    const [row] = await tx.query<{ open: number }[]>(
      `select count(*)::int as open from deposit
        where user_id = $1 and only_claimed and status in ('pending', 'confirming') and hold_reason is null`,
      [userId],
    );
    return row?.open ?? 0;
  }

  async save(tx: Tx, row: Deposit): Promise<void> {
    const { id, ...columns } = row;
    await tx.update(Deposit, id, columns);
  }

  /** Notes the provider's id of a deposit. */
  async name(tx: Tx, row: Deposit, providerDepositId: string): Promise<void> {
    row.providerDepositId = providerDepositId;
    await tx.update(Deposit, row.id, { providerDepositId });
  }

  tell(tx: Tx, name: DepositEvent['name'], row: Deposit, at: Date): Promise<void> {
    return this.domainEvents.emit<DepositEvent>(tx, {
      name,
      userId: row.userId,
      at,
      depositId: row.id,
      currency: row.currency,
      network: row.network,
      amount: row.amount,
      credited: row.credited,
      txHash: row.txHash,
      fromAddress: row.fromAddress,
      toAddress: row.toAddress,
      onlyClaimed: row.onlyClaimed,
      ...minedOf(row),
      reason:
        name === 'deposit.held' || name === 'deposit.covered' || name === 'deposit.failed'
          ? reasonOf(row, this.config.MINIMUM_DEPOSIT)
          : null,
    });
  }
}

const VANISHED_AFTER_MS = 24 * 3_600_000;

/** True if neither the chain nor the provider has shown the deposit for 24 hours. */
export function hasVanished(row: Deposit, at: Date): boolean {
  return isOpenRow(row) && at.getTime() - row.seenAt.getTime() >= VANISHED_AFTER_MS;
}

/** True while something can still become of it. */
export function isOpenRow(row: Deposit): boolean {
  return isOpen({ status: row.status, held: row.holdReason !== null });
}
