import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Address } from 'viem';
import type { Clock } from '../common/clock.js';
import type { Callback, CallbackSender, Delivery } from './callbacks.js';
import type { RunningChain } from './chain.js';
import { FINAL_AFTER, isSupported, newAddress, newHash } from './deposit-addresses.js';
import type { Network } from './deposit-addresses.js';
import { DepositRecords, toDepositResponse, toJson } from './deposit-records.js';
import type { Deposit, DepositAddress } from './deposit-records.js';
import { BadInput, NotFound } from './input.js';
import type { SandboxSettings } from './sandbox-settings.js';
import { signedHeaders } from './signature.js';
import { USDC_DECIMALS } from './test-usdc.js';

export interface DepositProviderOptions {
  dataDir: string;
  chain: RunningChain;
  settings: SandboxSettings;
  /** The platform's address. Read at each callback, because it may become known after the start. */
  api: { url: string };
  callbacks: CallbackSender;
  /** The platform's domain clock, so that both use the same dates. */
  clock: Clock;
  /** Interval of blocks while a deposit is unconfirmed; with 0 only transactions and `POST /chain/mine` mine blocks. */
  blockIntervalMs: number;
}

/** The largest number of decimals of a simulated payment. */
const DECIMALS: Record<Network, number> = { ERC20: 18, BEP20: 18, TRC20: USDC_DECIMALS };

/** The confirmations at which a callback is sent: first seen, two intermediate steps, final. */
function callbackSteps(network: Network): number[] {
  const final = FINAL_AFTER[network];
  return [0, Math.floor(final / 3), Math.floor((2 * final) / 3), final];
}

/** The provider's id of a withdrawal, the same in all its reports. */
function withdrawalNumber(withdrawalId: string): number {
  return createHash('sha256').update(withdrawalId).digest().readUInt32BE();
}

/**
 * The deposit provider: creates addresses, observes payments to them and sends callbacks. USDC over ERC20 is transferred
 * on the node; payments in other currencies and networks are simulated. All networks count the node's blocks as
 * confirmations.
 */
export class DepositProvider {
  private readonly records: DepositRecords;
  private readonly sendingIds = new Set<number>();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(private readonly options: DepositProviderOptions) {
    this.records = new DepositRecords(join(options.dataDir, 'deposit-provider.json'));
    // Continues the unfinished deposits of an earlier run.
    for (const deposit of this.records.deposits) void this.sendDueCallbacks(deposit);
    this.scheduleBlock();
  }

  /** Creates an address, or returns the one that the user already has for this currency and network. */
  createAddress(currency: string, network: string, foreignId: string): DepositAddress {
    if (!isSupported(currency, network)) throw new BadInput(`${currency} on ${network} is not supported.`);
    const wanted = { currency, network, foreignId };
    return (
      this.records.findAddressOfUser(wanted) ??
      this.records.addAddress({ ...wanted, address: newAddress(network) })
    );
  }

  /** A page of the deposits, newest first, as the provider's interface shows them. */
  list(page: { offset: number; limit: number; foreignId?: string }) {
    const all = this.records.deposits
      .map((deposit) => toDepositResponse(deposit, this.records.getAddress(deposit.addressId)))
      .filter(({ address }) => page.foreignId === undefined || address.foreignId === page.foreignId)
      .reverse();
    return { items: all.slice(page.offset, page.offset + page.limit), total: all.length };
  }

  getDeposit(id: number) {
    const deposit = this.records.deposits.find((candidate) => candidate.id === id);
    if (!deposit) throw new NotFound(`There is no deposit ${id}.`);
    return toDepositResponse(deposit, this.records.getAddress(deposit.addressId));
  }

  /** Pays `amount` to the deposit address `to`. The callbacks are sent in the background. */
  async pay(to: string, amount: string): Promise<{ txHash: string; depositId: number }> {
    const address = this.records.findAddressByText(to);
    if (!address)
      throw new NotFound(`${to} is not a deposit address of this sandbox; get one from the API first.`);
    const { chain } = this.options;
    const isOnChain = address.currency === 'USDC' && address.network === 'ERC20';
    const decimals = isOnChain ? USDC_DECIMALS : DECIMALS[address.network];
    if ((amount.split('.')[1] ?? '').length > decimals) {
      const { currency, network } = address;
      throw new BadInput(`amount has more than the ${decimals} decimals of ${currency} on ${network}.`);
    }
    const hash = isOnChain
      ? await chain.payUsdc(address.address as Address, amount)
      : newHash(address.network);
    const deposit = this.records.addDeposit({
      addressId: address.id,
      amount,
      hash,
      senderAddress: isOnChain ? chain.treasuryAddress : newAddress(address.network),
      date: this.options.clock.now().toISOString(),
      startBlock: Number(await chain.blockNumber()),
      confirmations: 0,
      told: 0,
    });
    void this.sendDueCallbacks(deposit);
    this.scheduleBlock();
    return { txHash: hash, depositId: deposit.id };
  }

  /** Sends a callback with the status of a withdrawal. */
  reportWithdrawal(withdrawalId: string, status: string, error: string | null): Promise<Delivery> {
    const data = {
      type: 'Withdrawal',
      id: withdrawalNumber(withdrawalId),
      status,
      date: new Date().toISOString(),
      paymentOrderId: withdrawalId,
      foreignId: withdrawalId,
      error,
      fees: [],
    };
    return this.options.callbacks.deliver(this.callback('withdrawal', data));
  }

  /** Reads the height of the chain and sends callbacks about deposits with new confirmations. */
  async observe(): Promise<void> {
    const height = Number(await this.options.chain.blockNumber());
    if (this.stopped) return;
    for (const deposit of this.unfinishedDeposits()) {
      const { network } = this.records.getAddress(deposit.addressId);
      const observed = Math.min(height - deposit.startBlock, FINAL_AFTER[network]);
      // Confirmations never decrease, although a killed run may lose the last second of blocks.
      deposit.confirmations = Math.max(deposit.confirmations, observed);
      void this.sendDueCallbacks(deposit);
    }
    this.records.save();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.options.callbacks.stop();
  }

  private unfinishedDeposits(): Deposit[] {
    return this.records.deposits.filter(({ addressId, confirmations }) => {
      return confirmations < FINAL_AFTER[this.records.getAddress(addressId).network];
    });
  }

  private scheduleBlock(): void {
    const { blockIntervalMs, chain } = this.options;
    if (this.stopped || this.timer || blockIntervalMs === 0 || this.unfinishedDeposits().length === 0) return;
    this.timer = setTimeout(() => {
      chain
        .mine(1)
        .then(() => this.observe())
        // The node may be ending; the next interval tries again.
        .catch(() => undefined)
        .finally(() => {
          this.timer = undefined;
          this.scheduleBlock();
        });
    }, blockIntervalMs);
  }

  /** Sends due callbacks one after the other. Saves their number after each, so that a restart continues with the next one. */
  private async sendDueCallbacks(deposit: Deposit): Promise<void> {
    if (this.sendingIds.has(deposit.id)) return;
    this.sendingIds.add(deposit.id);
    const address = this.records.getAddress(deposit.addressId);
    for (const step of callbackSteps(address.network).slice(deposit.told)) {
      if (this.stopped || step > deposit.confirmations) break;
      const data = toDepositResponse(deposit, address, step);
      const { outcome } = await this.options.callbacks.deliver(this.callback('deposit', data));
      if (outcome === 'stopped') break;
      deposit.told += 1;
      this.records.save();
    }
    this.sendingIds.delete(deposit.id);
  }

  private callback(kind: 'deposit' | 'withdrawal', data: unknown): Callback {
    const { api, settings } = this.options;
    const url = () => `${api.url}/api/webhooks/${settings.DEPOSIT_PROVIDER_NAME}/${kind}`;
    const body = toJson({ data });
    const credentials = { key: settings.DEPOSIT_PROVIDER_KEY, secret: settings.DEPOSIT_PROVIDER_SECRET };
    return { url, headers: () => signedHeaders(credentials, { method: 'POST', url: url(), body }), body };
  }
}
