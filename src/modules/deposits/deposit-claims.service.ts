import { Injectable } from '@nestjs/common';
import { getAddress } from 'viem';
import { AppConfig } from '../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import { Money } from '../../common/money.js';
import { Chain } from '../blockchain/chain.js';
import { receiptsOf, type Receipt } from './chain-verification.js';
import { DepositAddressesService, type Permit } from './deposit-addresses.service.js';
import { DepositRecords } from './deposit-records.js';
import { Deposit } from './entities/deposit.entity.js';
import { toDepositClaimResponse, type DepositClaimResponse } from './dto/deposit.response.js';
import type { DepositClaimRequest } from './dto/deposits.request.js';
import { canonicalHash } from './networks.js';

const NETWORK = 'ERC20';
const MOST_OPEN_CLAIMS = 20;

/** A user names a transaction. It is looked up, recorded, and never believed. */
@Injectable()
export class DepositClaimsService {
  constructor(
    private readonly config: AppConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly addresses: DepositAddressesService,
    private readonly records: DepositRecords,
  ) {}

  /** Throws INVALID_AMOUNT, DUPLICATE_DEPOSIT, LIMIT_REACHED, BLOCKCHAIN_ERROR and, for a first address, CRYPTO2B_API_ERROR. */
  async claim(userId: string, dto: DepositClaimRequest, permit: Permit): Promise<DepositClaimResponse> {
    const amount = this.requireAmount(dto);
    const { address } = await this.addresses.ensure(userId, 'USDC', NETWORK, permit);
    const hash = canonicalHash(dto.txHash);
    const receipts = receiptsOf(await this.chain.transaction(hash)).filter(({ to }) => to === address);
    const row = await this.unitOfWork.runInTransaction(async (tx) => {
      await this.records.lockAddresses(tx, NETWORK, [address], hash); // the user's other claims wait here
      await requireNew(tx, hash, userId, receipts.length > 0);
      if (!isShown(receipts, dto.currency)) await this.requireFewOpen(tx, userId);
      const fromAddress = getAddress(dto.fromAddress.toLowerCase());
      const told = {
        userId,
        network: NETWORK,
        currency: dto.currency,
        txHash: hash,
        fromAddress,
        toAddress: address,
        amount,
      } as const;
      const unseen = { logIndex: null, providerDepositId: null, onlyClaimed: true };
      return this.records.add(tx, { ...told, ...unseen }, this.clock.now());
    });
    return toDepositClaimResponse(row);
  }

  private requireAmount({ amount: text, currency }: DepositClaimRequest): Money {
    const amount = Money.of(text);
    const minimum = this.config.MINIMUM_DEPOSIT;
    if (currency === 'USDC' && amount.isLessThan(minimum))
      fail('INVALID_AMOUNT', { minimum: minimum.toWire() });
    return amount.isPositive() ? amount : fail('INVALID_AMOUNT');
  }

  /** Not called for a claim whose payment the chain shows already: each of those costs a transfer. */
  private async requireFewOpen(tx: Tx, userId: string): Promise<void> {
    const open = await this.records.openClaimsOf(tx, userId);
    if (open < MOST_OPEN_CLAIMS) return;
    const message = `${MOST_OPEN_CLAIMS} claimed transactions still wait for the chain to show them. Wait for these first.`;
    fail('LIMIT_REACHED', { limit: MOST_OPEN_CLAIMS }, { message });
  }
}

function isShown(receipts: readonly Receipt[], currency: string): boolean {
  return receipts.some((receipt) => receipt.currency === currency);
}

/**
 * Refuses a hash that this user has named or that is recorded as somebody's deposit. What another user merely
 * claims does not count: it must not keep the owner out. Nor does another's deposit where the same transaction
 * pays this user too.
 */
async function requireNew(tx: Tx, hash: string, userId: string, paysUser: boolean): Promise<void> {
  const recorded = await tx
    .createQueryBuilder(Deposit, 'deposit')
    .where('network = :network and tx_hash = :hash', { network: NETWORK, hash })
    .andWhere(`(failure is null or failure <> 'vanished')`)
    .getMany();
  const own = recorded.find((row) => row.userId === userId);
  if (own) fail('DUPLICATE_DEPOSIT', { depositId: own.id });
  const isAnothers = recorded.some((row) => row.logIndex !== null || row.providerDepositId !== null);
  if (isAnothers && !paysUser) fail('DUPLICATE_DEPOSIT');
}
