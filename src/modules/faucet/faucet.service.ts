import { Injectable } from '@nestjs/common';
import { getAddress, zeroAddress } from 'viem';
import { AppConfig } from '../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { startOfDay } from '../../common/days.js';
import { fail } from '../../common/errors/domain-error.js';
import { newId } from '../../common/ids.js';
import { Money } from '../../common/money.js';
import { FaucetAccount, type Funds } from './faucet-account.js';
import type { FaucetRequestRequest } from './dto/faucet.request.js';
import { DEFAULT_AMOUNT, MAX_AMOUNT, MIN_AMOUNT } from './faucet.terms.js';
import { nextNonce, type Nonces } from './nonces.js';
import type { Payout } from './payout.js';
import { PayoutDelivery } from './payout-delivery.js';
import { toFaucetPayoutResponse, type FaucetPayoutResponse } from './dto/payout.response.js';
import { Payouts } from './payouts.js';
import { FaucetCooldowns } from './turns.js';

interface Order {
  readonly walletAddress: string;
  readonly amount: Money;
  readonly reason: string | null;
}

/** Hands out test USDC: read the chain, write the payout with its signed transaction, send, wait. */
@Injectable()
export class FaucetService {
  constructor(
    private readonly config: AppConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly account: FaucetAccount,
    private readonly payouts: Payouts,
    private readonly turns: FaucetCooldowns,
    private readonly delivery: PayoutDelivery,
  ) {}

  /** Throws INVALID_AMOUNT, INVALID_WALLET_ADDRESS, RATE_LIMIT_EXCEEDED, INSUFFICIENT_FAUCET_BALANCE, BLOCKCHAIN_ERROR. */
  async request(dto: FaucetRequestRequest): Promise<FaucetPayoutResponse> {
    const order = orderOf(dto);
    await this.turns.require(order.walletAddress);
    const before = await this.payouts.nonces(this.account.address);
    const funds = await this.account.funds();
    const written = await this.unitOfWork.runInTransaction((tx) => this.write(tx, order, { before, funds }));
    return toFaucetPayoutResponse(await this.delivery.deliver(written), this.config.CHAIN_ID);
  }

  private async write(
    tx: Tx,
    order: Order,
    { before, funds }: { before: Nonces; funds: Funds },
  ): Promise<Payout> {
    const sender = this.account.address;
    const now = await this.payouts.lockAccount(tx, sender);
    const [id, requestedAt] = [newId(), this.clock.now()];
    await this.turns.take(tx, order.walletAddress, id, requestedAt);
    await this.requireFunds(tx, order.amount, funds);
    const to = { to: order.walletAddress, amount: order.amount };
    const signed = await this.account.sign(to, nextNonce(funds.count, before, now), funds);
    return this.payouts.add(tx, { id, ...order, requestedAt, sender, ...signed });
  }

  /** What is under way is taken off, although some of it may be gone already: rather too little than a reverted payout. */
  private async requireFunds(tx: Tx, requested: Money, { usdc, eth, gasCost }: Funds): Promise<void> {
    const spoken = await this.payouts.spoken(tx, startOfDay(this.clock.today()));
    const gas = gasCost.times(Money.of(String(spoken.underWayCount + 1)));
    const { address } = this.account;
    if (eth.isLessThan(gas)) {
      return insufficient(
        requested,
        Money.ZERO,
        `send ${gas.minus(eth).toString()} ETH to ${address} for gas`,
      );
    }
    const held = usdc.minus(spoken.underWay);
    if (held.isLessThan(requested)) insufficient(requested, held, `send test USDC to ${address}`);
    const left = this.config.FAUCET_DAILY_LIMIT.minus(spoken.since);
    if (left.isLessThan(requested)) insufficient(requested, left, 'ask again tomorrow (UTC)');
  }
}

function orderOf({ walletAddress, amount, reason }: FaucetRequestRequest): Order {
  const wanted = amount ? Money.of(amount) : DEFAULT_AMOUNT;
  if (wanted.isLessThan(MIN_AMOUNT) || wanted.isMoreThan(MAX_AMOUNT)) {
    fail(
      'INVALID_AMOUNT',
      { minimum: MIN_AMOUNT.toWire(), maximum: MAX_AMOUNT.toWire() },
      { message: `The faucet pays from ${MIN_AMOUNT.toWire()} to ${MAX_AMOUNT.toWire()} USDC.` },
    );
  }
  const address = getAddress(walletAddress.toLowerCase());
  if (address === zeroAddress) fail('INVALID_WALLET_ADDRESS', { reason: 'nobody has the zero address' });
  return { walletAddress: address, amount: wanted, reason: reason ?? null };
}

function insufficient(requested: Money, left: Money, remedy: string): never {
  const available = Money.max(left, Money.ZERO);
  const canPayLess = !available.isLessThan(MIN_AMOUNT);
  return fail('INSUFFICIENT_FAUCET_BALANCE', {
    requested: requested.toWire(),
    available: available.toWire(),
    suggestion: canPayLess ? `Ask for at most ${available.toWire()}, or ${remedy}.` : `Please ${remedy}.`,
  });
}
