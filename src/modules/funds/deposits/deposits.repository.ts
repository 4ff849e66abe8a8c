import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, IsNull, type EntityManager, type Repository } from 'typeorm';
import { newId } from '../../../common/ids.js';
import { MICRO_SCALE, Money } from '../../../common/money.js';
import { findRow, findRows, insertIfNew, readRow } from '../../../database/entity-rows.js';
import { lockName } from '../../../database/statements.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { markHours } from '../../../lists/total-marks.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import { hashForms } from '../../providers/chain/domain/transaction-hash.js';
import { lockTxHash } from '../../providers/chain/transaction-hash.repository.js';
import type { AddressOwner } from './domain/deposit-reports.js';
import type { AddressCurrency, Network } from './domain/networks.js';
import { Deposit, DepositAddress } from './entities/deposit.entity.js';

/** The fields of a deposit that are known when it is recorded. */
export type NewDeposit = Pick<
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
  | 'requiredConfirmations'
>;

/** Vanished and unproven deposits release the identity of their transfer: the transfer may be recorded again. */
const HOLDS_IDENTITY = `(failure is null or failure not in ('vanished', 'unproven'))`;

/** Fields that no report changes; the trigger `deposit_kept` refuses a change of all but `checkedAt`. */
const FIXED_FIELDS: ReadonlySet<string> = new Set<keyof Deposit>([
  'id',
  'userId',
  'network',
  'currency',
  'txHash',
  'toAddress',
  'createdAt',
  'requiredConfirmations',
  'checkedAt',
]);

const MAX_RELEASED_TOGETHER = 500; // bounds the postings of one transaction

/** Reads and writes deposits. Before a write the caller has locked the deposit's address (`lockAddressesOfTransaction`). */
@Injectable()
export class DepositsRepository {
  /** The deposits of a transaction at these addresses, oldest first, without those that have released their identity. */
  findDepositsOfTransaction(
    tx: Tx,
    network: Network,
    hash: string,
    addresses: readonly string[],
  ): Promise<Deposit[]> {
    return findRows(
      tx,
      Deposit,
      `where network = $1 and tx_hash = any($2) and to_address = any($3) and ${HOLDS_IDENTITY} order by created_at, id`,
      [network, hashForms(hash), addresses],
    );
  }

  /**
   * The deposits and claims with this hash, also those of other users. Vanished deposits are left out, so that the hash may be claimed
   * again; unproven claims are not, since their transaction is mined and does not contain the claimed transfer.
   */
  findDepositsWithHash(tx: Tx, network: Network, hash: string): Promise<Deposit[]> {
    return findRows(
      tx,
      Deposit,
      `where network = $1 and tx_hash collate "C" = any($2) and (failure is null or failure <> 'vanished')
       order by created_at, id`,
      [network, hashForms(hash)],
    );
  }

  findDepositByProviderId(tx: Tx, providerDepositId: string): Promise<Deposit | undefined> {
    return findRow(tx, Deposit, `where provider_deposit_id = $1 and ${HOLDS_IDENTITY}`, [providerDepositId]);
  }

  /**
   * The deposits that are held as BELOW_MINIMUM at an address, the largest ones if there are many, and the sum of all, each
   * rounded down to six decimals. Leaves out those that a reorganisation has removed (`succeeded` is false).
   */
  async findHeldDeposits(tx: Tx, { network, toAddress }: Deposit): Promise<{ held: Deposit[]; sum: Money }> {
    const held = await tx.find(Deposit, {
      where: { network, toAddress, holdReason: 'BELOW_MINIMUM', succeeded: true },
      order: { amount: 'desc', id: 'asc' },
      take: MAX_RELEASED_TOGETHER,
    });
    if (held.length < MAX_RELEASED_TOGETHER)
      return { held, sum: Money.sum(held.map(({ amount }) => amount.roundDown(MICRO_SCALE))) };
    const [row] = await tx.query<[{ sum: string }]>(
      `select sum(trunc(amount, ${MICRO_SCALE})) as sum from deposit
        where network = $1 and to_address = $2 and hold_reason = 'BELOW_MINIMUM' and succeeded`,
      [network, toAddress],
    );
    return { held, sum: Money.of(row.sum) };
  }

  /** The number of a user's open claims. It cannot grow while the caller has locked the user's address for USDC over ERC20. */
  countOpenClaims(tx: Tx, userId: string): Promise<number> {
    const status = In(['pending', 'confirming']);
    return tx.countBy(Deposit, { userId, onlyClaimed: true, status, holdReason: IsNull() });
  }

  /** True if admins have booked the transfer for its owner. Locks the hash, so the answer holds until the commit. */
  async isBookedByHand(tx: Tx, { txHash, userId }: Deposit): Promise<boolean> {
    await lockTxHash(tx, txHash);
    // Table of the treasury module, which is in a higher layer.
    const rows = await tx.query<unknown[]>(
      `select from admin_transaction where tx_hash = any($1) and user_id = $2 and type = 'deposit'`,
      [hashForms(txHash), userId],
    );
    return rows.length > 0;
  }

  async insertDeposit(tx: Tx, deposit: NewDeposit, at: Date): Promise<Deposit> {
    const row = tx.create(Deposit, {
      ...deposit,
      id: newId(),
      status: 'pending',
      credited: null,
      confirmations: 0,
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
    return row;
  }

  async updateDeposit(tx: Tx, row: Deposit): Promise<void> {
    const columns = Object.entries(row).filter(([field]) => !FIXED_FIELDS.has(field));
    await tx.update(Deposit, row.id, Object.fromEntries(columns));
  }

  /** For a change that no event follows: the sums of the admins' list are recomputed. */
  markChanged(tx: Tx, { createdAt }: Deposit): void {
    markHours(tx, 'deposit', createdAt);
  }

  async setProviderDepositId(tx: Tx, row: Deposit, providerDepositId: string): Promise<void> {
    row.providerDepositId = providerDepositId;
    await tx.update(Deposit, row.id, { providerDepositId });
  }
}

export type NewDepositAddress = Omit<DepositAddress, 'id' | 'createdAt' | 'seal'>;

/** Addresses are sealed when they are stored. One without a right seal is not shown, and no payment to it is credited. */
@Injectable()
export class DepositAddressesRepository {
  constructor(
    @InjectRepository(DepositAddress) private readonly addresses: Repository<DepositAddress>,
    private readonly seals: CredentialSealsService,
  ) {}

  /** The user's address, null if there is none or a forged one. */
  async findAddress(
    userId: string,
    currency: AddressCurrency,
    network: Network,
    manager: EntityManager = this.addresses.manager,
  ): Promise<DepositAddress | null> {
    const stored = await manager.findOneBy(DepositAddress, { userId, currency, network });
    return stored && this.isAuthentic(stored) ? stored : null;
  }

  findAddressesOfUser(userId: string): Promise<DepositAddress[]> {
    return this.addresses.find({ where: { userId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** Whether `address`, in its checksummed form, is a deposit address on ERC20 or BEP20. */
  async isEvmDepositAddress(tx: Tx, address: string): Promise<boolean> {
    const onEvm = `where network in ('ERC20', 'BEP20') and address = $1 limit 1`;
    return (await readRow(tx, DepositAddress, onEvm, [address])) !== undefined;
  }

  /** Locks the address until the transaction ends, and reads its row under the lock; null if it is not stored yet. */
  async lockNewAddress(tx: Tx, network: Network, address: string): Promise<DepositAddress | null> {
    await lockName(tx, `deposit-address:${address}`);
    return tx.findOneBy(DepositAddress, { network, address });
  }

  /**
   * Inserts an address that the provider has given, unless the user already has one for its currency and network. Returns the user's
   * address. A stored address without a right seal is sealed if it is the given one; otherwise the result is null.
   */
  async insertAddress(tx: Tx, given: NewDepositAddress, at: Date): Promise<DepositAddress | null> {
    const address = { ...given, id: newId(), createdAt: at };
    const seal = this.seals.sealRow('deposit_address', address);
    await insertIfNew(tx, DepositAddress, { ...address, seal });
    const { userId, currency, network } = given;
    const stored = await this.findAddress(userId, currency, network, tx);
    return stored ?? this.sealAddress(tx, given);
  }

  private async sealAddress(tx: Tx, given: NewDepositAddress): Promise<DepositAddress | null> {
    const stored = await tx.findOneBy(DepositAddress, { ...given });
    if (!stored) return null;
    const seal = this.seals.sealRow('deposit_address', stored);
    await tx.update(DepositAddress, { id: stored.id }, { seal });
    return { ...stored, seal };
  }

  /**
   * Locks the deposit addresses that a transaction on chain may concern: those in `addresses`, and those of deposits with `hash`.
   * Returns them, except forged ones. Every write to a deposit requires the lock of the deposit's address. The rows are locked in
   * the order of their ids, so that two database transactions do not deadlock.
   */
  async lockAddressesOfTransaction(
    tx: Tx,
    network: Network,
    addresses: readonly string[],
    hash: string,
  ): Promise<AddressOwner[]> {
    const rows = await findRows(
      tx,
      DepositAddress,
      `where network = $1
         and address = any($2 || array(select to_address from deposit where network = $1 and tx_hash collate "C" = any($3)))
       order by id for update`,
      [network, addresses, hashForms(hash)],
    );
    return rows.filter((row) => this.isAuthentic(row));
  }

  /** The seal of an address does not end (`isSealEnded`), because the address never changes. */
  private isAuthentic(address: DepositAddress): boolean {
    return this.seals.isAuthentic('deposit_address', { ...address, isSealEnded: false });
  }
}
