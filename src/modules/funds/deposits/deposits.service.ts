import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import type { AdminPrincipal } from '../../../http/auth/principal.js';
import { instantRange } from '../../../http/request/date-range.js';
import type { Page } from '../../../lists/list-page.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { ListExportsService } from '../../core/audit/list-exports.service.js';
import { ChainClient } from '../../providers/chain/chain.client.js';
import { hashDigits, toEvmHash } from '../../providers/chain/domain/transaction-hash.js';
import {
  AdminDepositsRepository,
  type AdminDepositTotals,
  type OwnedDeposit,
} from './admin-deposits.repository.js';
import { ChainDepositsService } from './chain-deposits.service.js';
import { DepositLifecycleService } from './deposit-lifecycle.service.js';
import { DepositListsRepository, type DepositPage, type OwnDeposit } from './deposit-lists.repository.js';
import { DepositsRepository, DepositAddressesRepository } from './deposits.repository.js';
import {
  paidAfterFailureAlert,
  reorganisedAlert,
  secondTransferAlert,
  unconfirmedAlert,
} from './domain/deposit-texts.js';
import { hasVanished, isUnconfirmed } from './domain/deposit.state-machine.js';
import { isReadOnChain } from './domain/networks.js';
import {
  ignoredReport,
  isIgnored,
  RECORDED,
  toProviderReport,
  type DepositReportResult,
  type ProviderDeposit,
  type ProviderReport,
} from './domain/deposit-reports.js';
import type { AdminDepositsQuery, DepositListQuery } from './dto/deposits.request.js';
import type { Deposit } from './entities/deposit.entity.js';

/** Lists deposits, and applies reports of the provider and of the chain to them. */
@Injectable()
export class DepositsService {
  constructor(
    private readonly config: AppConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly chain: ChainClient,
    private readonly chainDeposits: ChainDepositsService,
    private readonly addresses: DepositAddressesRepository,
    private readonly deposits: DepositsRepository,
    private readonly lists: DepositListsRepository,
    private readonly lifecycle: DepositLifecycleService,
    private readonly alerts: AlertsService,
  ) {}

  /** A page of a user's deposits, and the sums of all deposits that match the query. Throws INVALID_DATE_RANGE. */
  async listDeposits(userId: string, query: DepositListQuery): Promise<DepositPage> {
    const { from, to } = instantRange(query, this.clock.now());
    return this.lists.findPage({ ...query, userId, from, to, usdtRate: this.config.USDT_USDC_RATE });
  }

  /** Throws DEPOSIT_NOT_FOUND, and PERMISSION_DENIED for another user's deposit. */
  async getDeposit(id: string, userId: string): Promise<OwnDeposit> {
    const deposit = (await this.lists.findDeposit(id)) ?? throwError('DEPOSIT_NOT_FOUND');
    return deposit.userId === userId ? deposit : throwError('PERMISSION_DENIED');
  }

  /** Applies a deposit that the provider reports. USDC over ERC20 is verified on chain. Throws BLOCKCHAIN_ERROR. */
  async recordProviderDeposit(deposit: ProviderDeposit): Promise<DepositReportResult> {
    const report = toProviderReport(deposit);
    if (isIgnored(report)) return report;
    if (!isReadOnChain(report.currency, report.network))
      return this.unitOfWork.runInTransaction((tx) => this.applyProviderReport(tx, report));
    if (!toEvmHash(report.hash))
      return ignoredReport('the transaction hash is not a valid ERC20 transaction hash');
    const transaction = await this.chain.transaction(report.hash);
    return this.unitOfWork.runInTransaction((tx) =>
      this.chainDeposits.applyTransaction(tx, report.hash, transaction, report),
    );
  }

  /** Reads a transaction on chain and records its transfers. Throws BLOCKCHAIN_ERROR. */
  async recordChainTransaction(hash: string): Promise<void> {
    const transaction = await this.chain.transaction(hash);
    await this.unitOfWork.runInTransaction((tx) =>
      this.chainDeposits.applyTransaction(tx, hash, transaction),
    );
  }

  /** Fails a deposit that the provider reported and no longer knows, once it is unseen for 24 hours. */
  async recordUnknownToProvider(providerDepositId: string): Promise<void> {
    await this.unitOfWork.runInTransaction(async (tx) => {
      // Read first to learn which address to lock, and again under the lock.
      const unlocked = await this.deposits.findDepositByProviderId(tx, providerDepositId);
      if (!unlocked) return;
      const { network, toAddress, txHash } = unlocked;
      await this.addresses.lockAddressesOfTransaction(tx, network, [toAddress], txHash);
      const row = await this.deposits.findDepositByProviderId(tx, providerDepositId);
      const at = this.clock.now();
      if (row && hasVanished(row, at)) await this.lifecycle.failDeposit(tx, row, { failure: 'vanished' }, at);
    });
  }

  private async applyProviderReport(tx: Tx, report: ProviderReport): Promise<DepositReportResult> {
    const { network, address, hash } = report;
    const owners = await this.addresses.lockAddressesOfTransaction(tx, network, [address], hash);
    const owner = owners.find((candidate) => candidate.address === address);
    if (!owner) return ignoredReport('the deposit address belongs to no user of this platform');
    const at = this.clock.now();
    const ownRow = await this.deposits.findDepositByProviderId(tx, report.id);
    const rows = ownRow ? [] : await this.deposits.findDepositsOfTransaction(tx, network, hash, [address]);
    const recorded = ownRow ?? rows.find((row) => isSameTransfer(row, report));
    // The transaction has another transfer to the address. An earlier version took the second one for the first, and raised an alert
    // instead of recording it: an admin who has resolved that alert may have booked the second one by hand.
    const isSecond = !recorded && rows.length > 0;
    if (isSecond && (await this.alerts.isResolvedByAdmin(tx, 'second-transfer', report.id)))
      return ignoredReport('an admin has resolved the alert about this transfer');
    const contradiction = recorded && contradictionOf(recorded, report);
    if (recorded) await this.raiseAlerts(tx, recorded, report);
    if (contradiction) return ignoredReport(contradiction);
    const row = recorded ?? (await this.lifecycle.recordDeposit(tx, newDepositOf(report, owner.userId), at));
    row.providerDepositId = report.id;
    const update = {
      fromAddress: report.senderAddress ?? row.fromAddress,
      seenAt: at,
      onlyClaimed: false,
      // After a report of success, only another report of success changes the amount.
      ...(report.outcome === 'succeeded' || !row.succeeded ? { amount: report.amount } : {}),
    };
    const refusal = {
      failure: 'refused',
      ...(report.error ? { reason: `The deposit provider refused the deposit: ${report.error}` } : {}),
    } as const;
    const { outcome, confirmations } = report;
    const evidence = { source: 'provider', outcome, confirmations } as const;
    const wasUnconfirmed = isUnconfirmed(row, at);
    await this.lifecycle.applyEvidence(tx, row, evidence, update, at, refusal);
    if (isUnconfirmed(row, at)) await this.alerts.raise(unconfirmedAlert(row), tx);
    else if (wasUnconfirmed) await this.alerts.resolveBySystem('deposit-unconfirmed', row.id, tx);
    // The alert of the earlier version, if it is still open.
    if (isSecond) await this.alerts.resolveBySystem('second-transfer', report.id, tx);
    return RECORDED;
  }

  /** Alerts admins to a report of the recorded transfer under a second id, and to one that contradicts a credited or failed deposit. */
  private async raiseAlerts(tx: Tx, recorded: Deposit, report: ProviderReport): Promise<void> {
    const hasSecondId = recorded.providerDepositId !== null && recorded.providerDepositId !== report.id;
    if (hasSecondId) {
      if (report.outcome === 'succeeded') await this.alerts.raise(secondTransferAlert(recorded, report), tx);
      return;
    }
    const isCredited = recorded.status === 'completed' || recorded.holdReason === 'BOOKED_BY_HAND';
    if (isCredited && report.outcome === 'failed') {
      const contradiction = 'the deposit provider now reports that it failed';
      await this.alerts.raise(reorganisedAlert(recorded, contradiction), tx);
    }
    if (recorded.status === 'failed' && report.outcome === 'succeeded')
      await this.alerts.raise(paidAfterFailureAlert(recorded, 'deposit provider'), tx);
  }
}

/**
 * Whether `row`, a deposit of the reported transaction without this id of the provider, is the reported transfer. A row with another
 * id of the provider is the reported transfer only if the service has read the row on chain (`blockNumber`): such a row is ETH, because
 * `applyTransaction` applies the reports of USDC over ERC20, and a transaction has at most one transfer of ETH.
 */
function isSameTransfer(row: Deposit, { currency }: ProviderReport): boolean {
  if (row.currency !== currency || row.logIndex !== null) return false;
  return row.providerDepositId === null || row.blockNumber !== null;
}

function newDepositOf(report: ProviderReport, userId: string) {
  return {
    userId,
    network: report.network,
    currency: report.currency,
    txHash: report.hash,
    logIndex: null,
    providerDepositId: report.id,
    onlyClaimed: false,
    fromAddress: report.senderAddress,
    toAddress: report.address,
    amount: report.amount,
  };
}

/** Why the report contradicts the recorded deposit: one transfer has one id, and an id never changes its transfer. */
function contradictionOf(row: Deposit, report: ProviderReport): string | undefined {
  if (row.providerDepositId !== null && row.providerDepositId !== report.id)
    return 'the transfer is recorded under another id';
  const isUnchanged =
    hashDigits(row.txHash) === hashDigits(report.hash) && // an earlier version stored some hashes over ERC20 without 0x
    row.toAddress === report.address &&
    row.network === report.network &&
    row.currency === report.currency;
  return isUnchanged ? undefined : 'the id is recorded with another transfer';
}

/** The admins' list of the deposits of all users, and its export. */
@Injectable()
export class AdminDepositsService {
  constructor(
    private readonly deposits: AdminDepositsRepository,
    private readonly config: AppConfig,
    private readonly exports: ListExportsService,
  ) {}

  async listDeposits(
    query: AdminDepositsQuery,
  ): Promise<Page<OwnedDeposit> & { totals: AdminDepositTotals }> {
    const page = await this.deposits.findPage(query);
    return { ...page, totals: await this.deposits.sumDeposits(query, this.config.USDT_USDC_RATE) };
  }

  /** All deposits that the query selects, in batches. Throws SERVICE_UNAVAILABLE while the admin has another export open. */
  exportDeposits(query: AdminDepositsQuery, admin: AdminPrincipal): AsyncGenerator<OwnedDeposit[], void> {
    return this.exports.streamList(admin, { list: 'deposits', query }, (snapshot) =>
      this.deposits.streamDeposits(snapshot, query),
    );
  }
}
