import { Injectable } from '@nestjs/common';
import { getAddress, zeroAddress } from 'viem';
import { Clock } from '../../../common/clock.js';
import { startOfDay } from '../../../common/days.js';
import { throwError, failAmount } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { Rows } from '../../../http/request/pagination.js';
import { ChainClient } from '../../providers/chain/chain.client.js';
import {
  DEFAULT_AMOUNT,
  failCooldown,
  MAX_AMOUNT,
  MIN_AMOUNT,
  startOfPeriod,
  nextNonce,
  type Nonces,
} from './domain/payouts.js';
import type { FaucetHistoryQuery, RequestPayoutRequest } from './dto/faucet.request.js';
import type { FaucetPayout } from './entities/faucet.entity.js';
import { FaucetAccountClient } from './faucet-account.client.js';
import { FaucetRepository } from './faucet.repository.js';
import type { FaucetBalance, FaucetStatus, Funds, PayoutDelivery, PayoutOrder } from './faucet.types.js';
import { PayoutDeliveryJob } from './payout-delivery.job.js';

/** Pays test USDC: reads the chain, stores the payout with its signed transaction, sends it and waits for its block. */
@Injectable()
export class FaucetService {
  constructor(
    private readonly config: AppConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly chain: ChainClient,
    private readonly account: FaucetAccountClient,
    private readonly faucet: FaucetRepository,
    private readonly delivery: PayoutDeliveryJob,
  ) {}

  /** Throws INVALID_AMOUNT, INVALID_WALLET_ADDRESS, RATE_LIMIT_EXCEEDED, INSUFFICIENT_FAUCET_BALANCE, BLOCKCHAIN_ERROR. */
  async requestPayout(request: RequestPayoutRequest): Promise<PayoutDelivery> {
    const order = orderOf(request);
    await this.requireNoCooldown(order.walletAddress);
    // Read before the chain's transaction count, so that `nextNonce` recognises nonces that were used since the count.
    const noncesBefore = await this.faucet.getNonces(this.account.address);
    const funds = await this.account.readFunds();
    const payout = await this.unitOfWork.runInTransaction((tx) =>
      this.storePayout(tx, order, { noncesBefore, funds }),
    );
    return this.delivery.deliverPayout(payout);
  }

  listPayouts(query: FaucetHistoryQuery): Promise<Rows<FaucetPayout>> {
    return this.faucet.findPayoutsPage(query);
  }

  /** Throws BLOCKCHAIN_ERROR. */
  async getStatus(): Promise<FaucetStatus> {
    const [funds, head] = await Promise.all([this.account.readFunds(), this.chain.head()]);
    return {
      environment: this.config.NODE_ENV,
      contract: this.account.contract,
      dailyLimit: this.config.FAUCET_DAILY_LIMIT,
      funds,
      head,
      figures: await this.faucet.getFigures(this.clock.today()),
    };
  }

  /** Throws BLOCKCHAIN_ERROR. */
  async getBalance(): Promise<FaucetBalance> {
    const [funds, refill] = await Promise.all([this.account.readFunds(), this.account.findLastRefill()]);
    const figures = await this.faucet.getFigures(this.clock.today());
    return { contract: this.account.contract, funds, refill, figures };
  }

  /** An early check, before the chain is read; `storePayout` decides. Throws RATE_LIMIT_EXCEEDED. */
  private async requireNoCooldown(walletAddress: string): Promise<void> {
    const lastRequest = await this.faucet.findLastRequest(walletAddress);
    const now = this.clock.now();
    if (lastRequest && lastRequest > startOfPeriod(now)) failCooldown(lastRequest, now);
  }

  /** Stores a payout with its signed transaction. Throws RATE_LIMIT_EXCEEDED, INSUFFICIENT_FAUCET_BALANCE. */
  private async storePayout(
    tx: Tx,
    order: PayoutOrder,
    { noncesBefore, funds }: { noncesBefore: Nonces; funds: Funds },
  ): Promise<FaucetPayout> {
    const sender = this.account.address;
    const noncesUnderLock = await this.faucet.lockAccount(tx, sender);
    const id = newId();
    const requestedAt = this.clock.now();
    const cooldown = { walletAddress: order.walletAddress, payoutId: id, at: requestedAt };
    const lastRequest = await this.faucet.startCooldown(tx, cooldown);
    if (lastRequest) failCooldown(lastRequest, requestedAt);
    await this.requireFunds(tx, order.amount, funds);
    const nonce = nextNonce(funds.minedCount, noncesBefore, noncesUnderLock);
    const signed = await this.account.signTransfer(order, nonce, funds);
    return this.faucet.insertPayout(tx, { id, ...order, requestedAt, sender, ...signed });
  }

  /**
   * Throws INSUFFICIENT_FAUCET_BALANCE. Pending payouts are subtracted, although some may be mined already: a refusal is
   * better than a reverted payout.
   */
  private async requireFunds(tx: Tx, requested: Money, { usdc, eth, gasCost }: Funds): Promise<void> {
    const promised = await this.faucet.sumPromisedAmounts(tx, startOfDay(this.clock.today()));
    const gas = gasCost.times(Money.of(String(promised.pendingCount + 1)));
    const { address } = this.account;
    if (eth.isLessThan(gas)) {
      const missing = gas.minus(eth).toString();
      return failFunds(requested, Money.ZERO, `send ${missing} ETH to ${address} for gas`);
    }
    const available = usdc.minus(promised.pending);
    if (available.isLessThan(requested)) failFunds(requested, available, `send test USDC to ${address}`);
    const leftToday = this.config.FAUCET_DAILY_LIMIT.minus(promised.today);
    if (leftToday.isLessThan(requested)) failFunds(requested, leftToday, 'ask again tomorrow (UTC)');
  }
}

/** Validates a request and applies the defaults. Throws INVALID_AMOUNT, INVALID_WALLET_ADDRESS. */
function orderOf({ walletAddress, amount, reason }: RequestPayoutRequest): PayoutOrder {
  const requested = amount ? Money.of(amount) : DEFAULT_AMOUNT;
  if (requested.isLessThan(MIN_AMOUNT) || requested.isMoreThan(MAX_AMOUNT)) {
    const range = `must be from ${MIN_AMOUNT.toWire()} to ${MAX_AMOUNT.toWire()} USDC`;
    failAmount(range, { minimum: MIN_AMOUNT, maximum: MAX_AMOUNT });
  }
  const address = getAddress(walletAddress.toLowerCase());
  if (address === zeroAddress)
    throwError('INVALID_WALLET_ADDRESS', [
      { field: 'walletAddress', message: 'must not be the zero address, which belongs to no account' },
    ]);
  return { walletAddress: address, amount: requested, reason: reason ?? null };
}

function failFunds(requested: Money, left: Money, remedy: string): never {
  const available = Money.max(left, Money.ZERO);
  const canPayLess = !available.isLessThan(MIN_AMOUNT);
  return throwError('INSUFFICIENT_FAUCET_BALANCE', {
    requested: requested.toWire(),
    available: available.toWire(),
    suggestion: canPayLess ? `Ask for at most ${available.toWire()}, or ${remedy}.` : `Please ${remedy}.`,
  });
}
