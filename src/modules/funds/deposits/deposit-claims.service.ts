import { Injectable } from '@nestjs/common';
import { getAddress } from 'viem';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError, failAmount } from '../../../common/errors/domain-error.js';
import { Money } from '../../../common/money.js';
import { ChainClient } from '../../providers/chain/chain.client.js';
import { DepositAddressesService, type CountCreation } from './deposit-addresses.service.js';
import { DepositLifecycleService } from './deposit-lifecycle.service.js';
import { DepositsRepository, DepositAddressesRepository } from './deposits.repository.js';
import { transfersOf } from './domain/deposit-reports.js';
import { canonicalHash, minimumDeposit } from './domain/networks.js';
import type { DepositClaimRequest } from './dto/deposits.request.js';
import type { Deposit } from './entities/deposit.entity.js';

const NETWORK = 'ERC20';
/** A poll looks up only `CLAIMS_PER_POLL` claims: many false claims of one user would delay those of other users. */
const MAX_OPEN_CLAIMS_PER_USER = 20;

/**
 * Records transaction hashes that users claim as their deposits. A claim is credited only after the chain or, for ETH, the
 * provider shows the transfer.
 */
@Injectable()
export class DepositClaimsService {
  constructor(
    private readonly config: AppConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly chain: ChainClient,
    private readonly addresses: DepositAddressesService,
    private readonly addressLocks: DepositAddressesRepository,
    private readonly deposits: DepositsRepository,
    private readonly lifecycle: DepositLifecycleService,
  ) {}

  /**
   * Records a claim. Throws INVALID_AMOUNT, DUPLICATE_DEPOSIT, LIMIT_REACHED, BLOCKCHAIN_ERROR and, if the user's address
   * cannot be created, CRYPTO2B_API_ERROR.
   */
  async claimDeposit(
    userId: string,
    claim: DepositClaimRequest,
    countCreation: CountCreation,
  ): Promise<Deposit> {
    const { currency } = claim;
    const amount = this.requireAmount(claim);
    // ETH is claimed at the USDC address, since users have no address for ETH.
    const { address: toAddress } = await this.addresses.findOrCreateAddress(
      userId,
      'USDC',
      NETWORK,
      countCreation,
    );
    const txHash = canonicalHash(NETWORK, claim.txHash);
    const transaction = await this.chain.transaction(txHash);
    const transfersToUser = transfersOf(transaction).filter(({ to }) => to === toAddress);
    return this.unitOfWork.runInTransaction(async (tx) => {
      // The lock also serialises the user's concurrent claims.
      await this.addressLocks.lockAddressesOfTransaction(tx, NETWORK, [toAddress], txHash);
      await this.requireNew(tx, txHash, userId, transfersToUser.length > 0);
      const isShown = transfersToUser.some((transfer) => transfer.currency === currency);
      if (!isShown) await this.requireFewOpenClaims(tx, userId);
      const deposit = {
        userId,
        network: NETWORK,
        currency,
        txHash,
        fromAddress: getAddress(claim.fromAddress.toLowerCase()),
        toAddress,
        amount,
        logIndex: null,
        providerDepositId: null,
        onlyClaimed: true,
      } as const;
      return this.lifecycle.recordDeposit(tx, deposit, this.clock.now());
    });
  }

  private requireAmount({ amount: text, currency }: DepositClaimRequest): Money {
    const amount = Money.of(text);
    const minimum = minimumDeposit(this.config, currency);
    if (amount.isLessThan(minimum))
      failAmount(`must be at least ${minimum.toWire()} ${currency}`, { minimum });
    if (!amount.isPositive()) failAmount('must be above zero');
    return amount;
  }

  /** Throws LIMIT_REACHED. Claims that the chain already shows are not limited: each of them costs its user a transfer. */
  private async requireFewOpenClaims(tx: Tx, userId: string): Promise<void> {
    const open = await this.deposits.countOpenClaims(tx, userId);
    if (open < MAX_OPEN_CLAIMS_PER_USER) return;
    const message = `${MAX_OPEN_CLAIMS_PER_USER} claimed transactions still wait for the chain to show them. Wait for these first.`;
    throwError('LIMIT_REACHED', { limit: MAX_OPEN_CLAIMS_PER_USER }, { message });
  }

  /**
   * Rejects a hash that a claim or deposit of the user, or another user's deposit, already has. Another user's claim
   * does not prevent the claim, nor does another user's deposit if the transaction also pays this user (`paysUser`).
   */
  private async requireNew(tx: Tx, hash: string, userId: string, paysUser: boolean): Promise<void> {
    const recorded = await this.deposits.findDepositsWithHash(tx, NETWORK, hash);
    const ownDeposit = recorded.find((row) => row.userId === userId);
    if (ownDeposit) throwError('DUPLICATE_DEPOSIT', { depositId: ownDeposit.id });
    const isAnotherUsersDeposit = recorded.some(({ onlyClaimed }) => !onlyClaimed);
    if (isAnotherUsersDeposit && !paysUser) throwError('DUPLICATE_DEPOSIT');
  }
}
