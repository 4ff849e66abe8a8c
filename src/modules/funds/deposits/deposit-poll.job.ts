import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import { Job } from '../../../jobs/job.decorator.js';
import { DomainError, throwError } from '../../../common/errors/domain-error.js';
import { ChainClient, chainCondition } from '../../providers/chain/chain.client.js';
import { DepositListsRepository } from './deposit-lists.repository.js';
import { DepositProvider } from './deposit-provider.client.js';
import { DepositRechecksService } from './chain-deposits.service.js';
import { DepositsService } from './deposits.service.js';
import { isReadOnChain } from './domain/networks.js';
import { isIgnored, toProviderReport, type ProviderDeposit } from './domain/deposit-reports.js';

const PAGE_SIZE = 100;
const MAX_PAGES = 50;
const OPEN_DEPOSITS_PER_POLL = 200;
/** Bounds the requests to the node that claims of unknown transactions cause in one poll. */
const CLAIMS_PER_POLL = 50;

/** A poll result is out of date when its age exceeds two intervals plus this time. */
const OVERDUE_MS = 60_000;

type Party = 'chain' | 'provider';

const UNAVAILABLE_CODES = { chain: 'BLOCKCHAIN_ERROR', provider: 'CRYPTO2B_API_ERROR' } as const;

/**
 * Finds deposits whose callbacks were lost by reading the provider's list, and looks up open deposits, recently credited
 * or held deposits and claims. Each poll looks up a limited number of them: those that were looked up longest ago.
 */
@Injectable()
export class DepositPollJob {
  private readonly log = new Logger('DepositPollJob');
  /**
   * True if the last poll has recorded every deposit on the provider's first `MAX_PAGES` pages. The next poll then stops at the
   * first page without deposits to record.
   */
  private isCaughtUp = false;
  private stopping: AbortSignal | undefined;
  /** Parties that failed to answer in the current poll. */
  private readonly unavailable = new Set<Party>();
  /** The end of the last poll, and the parties that failed to answer in it. */
  private lastPoll: { readonly unavailable: ReadonlySet<Party>; readonly endedMs: number } | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly lists: DepositListsRepository,
    private readonly provider: DepositProvider,
    private readonly chain: ChainClient,
    private readonly deposits: DepositsService,
    private readonly rechecks: DepositRechecksService,
  ) {}

  @Job({
    name: 'deposit-poll',
    purpose: 'Looks up deposits whose callbacks were lost, and all deposits that are still open',
    everySeconds: 'DEPOSIT_POLL_SECONDS',
    exclusive: true,
  })
  async poll(stopping: AbortSignal): Promise<void> {
    this.stopping = stopping;
    this.unavailable.clear();
    await this.readProviderList();
    await this.lookUpOpenDeposits();
    await this.recheckCreditedAndHeld();
    await this.lookUpClaims();
    await this.attempt('chain', () => this.requireChain()); // earlier steps may not have called the chain
    this.lastPoll = { unavailable: new Set(this.unavailable), endedMs: performance.now() };
  }

  /** True if the party answered every request of the last poll; null without a recent poll. */
  isAnswering(party: Party): boolean | null {
    const validMs = 2 * this.config.DEPOSIT_POLL_SECONDS * 1000 + OVERDUE_MS;
    if (!this.lastPoll || performance.now() - this.lastPoll.endedMs > validMs) return null;
    return !this.lastPoll.unavailable.has(party);
  }

  private async requireChain(): Promise<void> {
    const { status } = chainCondition(await this.chain.state(), this.config.CHAIN_ID);
    if (status === 'unhealthy') throwError('BLOCKCHAIN_ERROR');
  }

  private async readProviderList(): Promise<void> {
    const wasCaughtUp = this.isCaughtUp;
    this.isCaughtUp = false;
    let hasFailed = false;
    for (let page = 0; page < MAX_PAGES; page++) {
      const listed = await this.attempt('provider', () =>
        this.provider.listDeposits(page * PAGE_SIZE, PAGE_SIZE),
      );
      if (!listed) return;
      const toRecord = await this.selectToRecord(listed.deposits);
      for (const deposit of toRecord) {
        // Recording USDC over ERC20 reads the chain.
        const party = isReadOnChain(deposit.currency, deposit.network) ? 'chain' : 'provider';
        const result = await this.attempt(party, () => this.deposits.recordProviderDeposit(deposit));
        hasFailed = !result || hasFailed;
      }
      if (listed.isLast || (wasCaughtUp && toRecord.length === 0)) break;
    }
    this.isCaughtUp = !hasFailed;
  }

  /** The deposits on the provider's list that are at addresses of the platform and may record or change a deposit, or raise an alert. */
  private async selectToRecord(listed: readonly ProviderDeposit[]): Promise<ProviderDeposit[]> {
    const reports = listed.map(toProviderReport).flatMap((report) => (isIgnored(report) ? [] : [report]));
    const ids = await this.lists.findReportsToRecord(reports);
    return listed.filter(({ id }) => ids.has(id));
  }

  private async lookUpOpenDeposits(): Promise<void> {
    const open = await this.lists.takeOpenDeposits(OPEN_DEPOSITS_PER_POLL);
    const hashes = new Set(open.filter(({ isDecidedByChain }) => isDecidedByChain).map(({ hash }) => hash));
    for (const hash of hashes) await this.attempt('chain', () => this.deposits.recordChainTransaction(hash));
    for (const { isDecidedByChain, providerDepositId } of open) {
      if (isDecidedByChain || providerDepositId === null) continue;
      await this.attempt('provider', () => this.lookUpAtProvider(providerDepositId));
    }
  }

  /** Runs after the other lookups, so that claims do not delay deposits that the chain or the provider has shown. */
  private async lookUpClaims(): Promise<void> {
    const claims = await this.lists.takeOpenClaims(CLAIMS_PER_POLL);
    for (const hash of new Set(claims.map((claim) => claim.hash)))
      await this.attempt('chain', () => this.deposits.recordChainTransaction(hash));
  }

  private async recheckCreditedAndHeld(): Promise<void> {
    for (const hash of await this.rechecks.takeDueHashes())
      await this.attempt('chain', () => this.rechecks.recheckTransaction(hash));
  }

  private async lookUpAtProvider(id: string): Promise<void> {
    const deposit = await this.provider.findDeposit(id);
    if (deposit) await this.deposits.recordProviderDeposit(deposit);
    else await this.deposits.recordUnknownToProvider(id);
  }

  /** Logs a failure, so that it affects one deposit only. Once a party has not answered, the poll no longer calls it. */
  private async attempt<Result>(party: Party, action: () => Promise<Result>): Promise<Result | undefined> {
    if (this.stopping?.aborted || this.unavailable.has(party)) return undefined;
    try {
      return await action();
    } catch (error) {
      const code = error instanceof DomainError ? error.code : undefined;
      if (code === UNAVAILABLE_CODES[party]) this.unavailable.add(party);
      this.log.warn({
        msg: 'a step of the deposit poll failed',
        party,
        ...(code ? { code } : { err: error }),
      });
      return undefined;
    }
  }
}
