import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { type Tx, UnitOfWork } from '../../../database/unit-of-work.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { ChainClient, type ChainTransaction, NOT_MINED } from '../../providers/chain/chain.client.js';
import { hashDigits } from '../../providers/chain/domain/transaction-hash.js';
import { DepositLifecycleService } from './deposit-lifecycle.service.js';
import { DepositListsRepository } from './deposit-lists.repository.js';
import { DepositsRepository, DepositAddressesRepository } from './deposits.repository.js';
import { DEPOSIT_REASONS, paidAfterFailureAlert, reorganisedAlert } from './domain/deposit-texts.js';
import { hasVanished, isLongUnseen, isOpenDeposit } from './domain/deposit.state-machine.js';
import {
  type DepositReportResult,
  ignoredReport,
  type ProviderReport,
  RECORDED,
  type AddressOwner,
  type DepositTransfer,
  isDecidedByChain,
  isNodeBehind,
  isShownOnChain,
  recordsTransfer,
  transfersOf,
} from './domain/deposit-reports.js';
import type { Deposit } from './entities/deposit.entity.js';

const NETWORK = 'ERC20';

interface SuccessfulTransaction {
  /** The deposits that are recorded of the transaction. */
  readonly rows: Deposit[];
  readonly transaction: ChainTransaction;
  readonly transfers: readonly DepositTransfer[];
  /** The owners of the locked deposit addresses. */
  readonly owners: readonly AddressOwner[];
  readonly at: Date;
}

/**
 * Records what the chain shows of a transaction: each transfer to a deposit address becomes a deposit of the address's
 * owner, regardless of who reported the hash; claims are confirmed or refuted.
 */
@Injectable()
export class ChainDepositsService {
  private readonly log = new Logger('Deposits');

  constructor(
    private readonly clock: Clock,
    private readonly addresses: DepositAddressesRepository,
    private readonly deposits: DepositsRepository,
    private readonly lifecycle: DepositLifecycleService,
    private readonly alerts: AlertsService,
  ) {}

  /**
   * Applies what the chain shows of the hash and, if given, the provider's report of it. `transaction` was read before the
   * database transaction began; undefined if the chain does not know it.
   */
  async applyTransaction(
    tx: Tx,
    hash: string,
    transaction: ChainTransaction | undefined,
    report?: ProviderReport,
  ): Promise<DepositReportResult> {
    const transfers = transfersOf(transaction);
    const candidates = transfers.map(({ to }) => to);
    if (report) candidates.push(report.address);
    const owners = await this.addresses.lockAddressesOfTransaction(tx, NETWORK, candidates, hash);
    const at = this.clock.now();
    const addresses = owners.map(({ address }) => address);
    const rows = await this.deposits.findDepositsOfTransaction(tx, NETWORK, hash, addresses);
    const owner = report && owners.find(({ address }) => address === report.address);
    if (!transaction?.succeeded && report && owner) await this.recordReport(tx, rows, report, owner, at);
    const shown = transaction?.succeeded
      ? await this.applyTransfers(tx, { rows, transaction, transfers, owners, at })
      : new Set<Deposit>();
    const unpaid = rows.filter((row) => isDecidedByChain(row) && isOpenDeposit(row) && !shown.has(row));
    const replacements = [...shown];
    for (const row of unpaid) {
      // A reorganisation has given the transfer another log index. A row of `replacements` records it under that index, and
      // `assignProviderId` gives the provider's id to that row.
      if (replacements.some((other) => other.toAddress === row.toAddress && other.currency === row.currency))
        await this.lifecycle.failDeposit(tx, row, { failure: 'unproven' }, at);
      else await this.applyUnpaid(tx, row, transaction, at);
    }
    if (!report) return RECORDED;
    if (!owner) return ignoredReport('the deposit address belongs to no user of this platform');
    // The report of a mined transaction does not concern deposits that the transaction does not pay.
    const reported = transaction?.succeeded ? rows.filter((row) => !unpaid.includes(row)) : rows;
    return this.assignProviderId(tx, reported, report);
  }

  /** Records a report of a transfer that the chain does not show yet; appends a new deposit to `rows`. */
  private async recordReport(
    tx: Tx,
    rows: Deposit[],
    report: ProviderReport,
    owner: AddressOwner,
    at: Date,
  ): Promise<void> {
    const recorded = rows.filter((row) => row.userId === owner.userId && row.currency === report.currency);
    const claim = recorded.find(({ onlyClaimed }) => onlyClaimed);
    if (claim) await this.lifecycle.markClaimSeen(tx, claim, report, at);
    if (recorded.length > 0 || (await this.deposits.findDepositByProviderId(tx, report.id))) return;
    const { hash: txHash, senderAddress: fromAddress, address: toAddress, amount, currency } = report;
    const transfer = { txHash, fromAddress, toAddress, amount, currency, logIndex: null };
    rows.push(await this.recordTransfer(tx, owner, transfer, at));
  }

  /** Applies a transaction that the chain does not know, or that is not mined, was reverted or contains no transfer of the deposit. */
  private async applyUnpaid(
    tx: Tx,
    row: Deposit,
    transaction: ChainTransaction | undefined,
    at: Date,
  ): Promise<void> {
    const isMined = typeof transaction?.succeeded === 'boolean';
    if (hasVanished(row, at)) {
      if (!transaction) return this.lifecycle.failDeposit(tx, row, { failure: 'vanished' }, at);
      if (row.onlyClaimed && !isMined) {
        const details = { failure: 'vanished', reason: DEPOSIT_REASONS.neverMined.en } as const;
        return this.lifecycle.failDeposit(tx, row, details, at);
      }
    }
    // A failure is final, so until a reorganisation can no longer replace its block, the transaction counts as not mined: in another
    // block it can succeed, and a contract that it calls can pay.
    const isFinal = isMined && transaction.confirmations >= row.requiredConfirmations;
    if (isFinal && transaction.succeeded)
      return this.lifecycle.failDeposit(tx, row, { failure: 'unproven' }, at);
    const observed = transaction && (isFinal || !isMined) ? transaction : NOT_MINED;
    const { blockNumber, confirmations, gasUsed, gasPrice } = observed;
    const outcome = isFinal ? 'failed' : 'underway';
    // A claim stays unseen while its transaction waits in the mempool, so that it does not stay open for ever.
    const seen = transaction && !row.onlyClaimed ? { seenAt: at } : {};
    const evidence = { source: 'chain', outcome, confirmations } as const;
    const update = { blockNumber, gasUsed, gasPrice, ...seen };
    await this.lifecycle.applyEvidence(tx, row, evidence, update, at, { failure: 'reverted' });
  }

  /** Records or confirms each transfer to a deposit address. Returns the deposits of these transfers. */
  private async applyTransfers(tx: Tx, mined: SuccessfulTransaction): Promise<Set<Deposit>> {
    const { rows, transaction, transfers, owners, at } = mined;
    const { blockNumber, confirmations, gasUsed, gasPrice } = transaction;
    const shown = new Set<Deposit>();
    for (const transfer of transfers) {
      const owner = owners.find(({ address }) => address === transfer.to);
      if (!owner) continue;
      const { currency, from: fromAddress, to: toAddress, amount, logIndex } = transfer;
      const figures = { fromAddress, toAddress, amount, logIndex };
      let row = rows.find(
        (deposit) => !shown.has(deposit) && recordsTransfer(deposit, transfer, owner, rows),
      );
      if (!row) {
        row = await this.recordTransfer(tx, owner, { ...figures, currency, txHash: transaction.hash }, at);
        rows.push(row);
      }
      shown.add(row);
      if (!isDecidedByChain(row)) continue;
      if (row.status === 'failed' && confirmations >= row.requiredConfirmations)
        await this.alerts.raise(paidAfterFailureAlert(row, 'chain'), tx);
      const update = { ...figures, seenAt: at, onlyClaimed: false, blockNumber, gasUsed, gasPrice };
      const evidence = { source: 'chain', outcome: 'succeeded', confirmations } as const;
      await this.lifecycle.applyEvidence(tx, row, evidence, update, at);
    }
    return shown;
  }

  private recordTransfer(
    tx: Tx,
    { userId }: AddressOwner,
    transfer: Pick<Deposit, 'txHash' | 'currency' | 'fromAddress' | 'toAddress' | 'amount' | 'logIndex'>,
    at: Date,
  ): Promise<Deposit> {
    return this.lifecycle.recordDeposit(
      tx,
      { userId, network: NETWORK, providerDepositId: null, onlyClaimed: false, ...transfer },
      at,
    );
  }

  /** Stores the provider's id with the deposit that the report is about. */
  private async assignProviderId(
    tx: Tx,
    rows: readonly Deposit[],
    report: ProviderReport,
  ): Promise<DepositReportResult> {
    const recorded = await this.deposits.findDepositByProviderId(tx, report.id);
    if (recorded) {
      // An earlier version stored some hashes over ERC20 without 0x.
      return hashDigits(recorded.txHash) === hashDigits(report.hash)
        ? RECORDED
        : ignoredReport('the id is recorded with another transfer');
    }
    const candidates = rows.filter(
      ({ toAddress, currency }) => toAddress === report.address && currency === report.currency,
    );
    const unassigned = candidates.filter((row) => row.providerDepositId === null);
    // The chain decides about the amount, so the report may state another one.
    const row = unassigned.find(({ amount }) => amount.equals(report.amount)) ?? unassigned[0];
    if (row) {
      await this.deposits.setProviderDepositId(tx, row, report.id);
      return RECORDED;
    }
    if (candidates.length > 0) return ignoredReport('the transfer is recorded under another id');
    this.log.warn({
      msg: 'the provider reports a transfer that the chain does not show',
      providerDepositId: report.id,
    });
    return ignoredReport('the chain shows no such transfer');
  }
}

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
