import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import { Clock } from '../../common/clock.js';
import { AlertsService } from '../alerts/alerts.service.js';
import { Chain } from '../blockchain/chain.js';
import { ChainVerification } from './chain-verification.js';
import { reorganisedAlert, secondTransferAlert } from './deposit-alerts.js';
import { DepositProgress } from './deposit-progress.js';
import { DepositRecords, hasVanished } from './deposit-records.js';
import type { Deposit } from './entities/deposit.entity.js';
import { isEvmHash, isReadOnChain } from './networks.js';
import { ignored, RECORDED, wordOf, type Observation, type Word } from './observation.js';
import type { ProviderDeposit } from './provider/deposit-provider.js';

/** Records deposits from all sources: callbacks, polls, claims of users and the chain. */
@Injectable()
export class DepositsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly chain: Chain,
    private readonly verification: ChainVerification,
    private readonly records: DepositRecords,
    private readonly progress: DepositProgress,
    private readonly alerts: AlertsService,
  ) {}

  /**
   * What the provider says of a deposit. USDC on ERC20 is looked up on chain, which decides there (throws
   * BLOCKCHAIN_ERROR); elsewhere the provider's word counts.
   */
  async observe(told: ProviderDeposit): Promise<Observation> {
    const word = wordOf(told);
    if ('recorded' in word) return word;
    if (!isReadOnChain(word.currency, word.network))
      return this.unitOfWork.runInTransaction((tx) => this.believe(tx, word));
    if (!isEvmHash(word.hash)) return ignored('the transaction hash is none of ERC20');
    const found = await this.chain.transaction(word.hash);
    return this.unitOfWork.runInTransaction((tx) => this.verification.apply(tx, word.hash, found, word));
  }

  /** Looks a transaction up on chain and records what it shows. Throws BLOCKCHAIN_ERROR. */
  async verify(hash: string): Promise<void> {
    const found = await this.chain.transaction(hash);
    await this.unitOfWork.runInTransaction((tx) => this.verification.apply(tx, hash, found));
  }

  /** The provider no longer knows a deposit that it told of: after 24 hours of that it has vanished. */
  async missing(providerDepositId: string): Promise<void> {
    await this.unitOfWork.runInTransaction(async (tx) => {
      const known = await this.records.ofProvider(tx, providerDepositId);
      if (!known) return;
      await this.records.lockAddresses(tx, known.network, [known.toAddress], known.txHash);
      const row = await this.records.ofProvider(tx, providerDepositId);
      const at = this.clock.now();
      if (row && hasVanished(row, at)) await this.progress.fail(tx, row, { failure: 'vanished' }, at);
    });
  }

  private async believe(tx: Tx, word: Word): Promise<Observation> {
    const addresses = await this.records.lockAddresses(tx, word.network, [word.address], word.hash);
    const owner = addresses.find(({ address }) => address === word.address);
    if (!owner) return ignored("the address is nobody's here");
    const at = this.clock.now();
    const known = (await this.records.ofProvider(tx, word.id)) ?? (await this.unplaced(tx, word));
    const contradiction = known && contradictionOf(known, word);
    if (known) await this.alertAbout(tx, known, word);
    if (contradiction) return ignored(contradiction);
    const row = known ?? (await this.records.add(tx, { ...seenBy(word), userId: owner.userId }, at));
    row.providerDepositId = word.id;
    const learnt = {
      fromAddress: word.senderAddress ?? row.fromAddress,
      seenAt: at,
      onlyClaimed: false,
      ...(word.outcome === 'succeeded' || !row.succeeded ? { amount: word.amount } : {}), // success has the last word
    };
    const refusal = {
      failure: 'refused',
      ...(word.error ? { reason: `The deposit provider refused it: ${word.error}` } : {}),
    } as const;
    const { outcome, confirmations } = word;
    await this.progress.follow(tx, row, { by: 'provider', outcome, confirmations }, learnt, at, refusal);
    return RECORDED;
  }

  /** What the provider reports of money that is booked already needs a person. */
  private async alertAbout(tx: Tx, known: Deposit, word: Word): Promise<void> {
    const isSecond = known.providerDepositId !== null && known.providerDepositId !== word.id;
    if (isSecond && word.outcome === 'succeeded')
      await this.alerts.raise(secondTransferAlert(known, word), tx);
    const isBooked = known.status === 'completed' || known.holdReason !== null;
    if (!isSecond && isBooked && word.outcome === 'failed')
      await this.alerts.raise(reorganisedAlert(known, 'the deposit provider now reports that it failed'), tx);
  }

  private async unplaced(tx: Tx, { network, hash, address, currency }: Word): Promise<Deposit | undefined> {
    const rows = await this.records.ofTransaction(tx, network, hash, [address]);
    return rows.find((row) => row.currency === currency && row.logIndex === null);
  }
}

function seenBy(word: Word) {
  const {
    network,
    currency,
    hash: txHash,
    id: providerDepositId,
    senderAddress: fromAddress,
    address: toAddress,
    amount,
  } = word;
  return { network, currency, txHash, logIndex: null, providerDepositId, fromAddress, toAddress, amount };
}

/** One transfer under two ids is credited once, and an id stays with its transfer. */
function contradictionOf(row: Deposit, word: Word): string | undefined {
  if (row.providerDepositId !== null && row.providerDepositId !== word.id)
    return 'the transfer is recorded under another id';
  const isSame =
    row.txHash === word.hash &&
    row.toAddress === word.address &&
    row.network === word.network &&
    row.currency === word.currency;
  return isSame ? undefined : 'the id is recorded with another transfer';
}
