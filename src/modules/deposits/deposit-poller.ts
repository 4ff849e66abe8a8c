import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../config/app-config.js';
import { Job } from '../../jobs/job.decorator.js';
import { DomainError, fail } from '../../common/errors/domain-error.js';
import { Chain, chainCondition } from '../blockchain/chain.js';
import { DepositReorganisations } from './deposit-reorganisations.js';
import { DepositsService } from './deposits.service.js';
import { isReadOnChain } from './networks.js';
import { wordOf } from './observation.js';
import { DepositProvider, type ProviderDeposit } from './provider/deposit-provider.js';

const PAGE_SIZE = 100;
const MOST_PAGES = 50;
const MOST_OPEN_DEPOSITS = 200;
/** Bounds the requests to the node that claims of unknown transactions cause in one round. */
const MOST_OPEN_CLAIMS = 50;

/** A poll that is late by more than this says nothing about the present. */
const OVERDUE_MS = 60_000;

type Party = 'chain' | 'provider';

const SILENCE = { chain: 'BLOCKCHAIN_ERROR', provider: 'CRYPTO2B_API_ERROR' } as const;

interface OpenDeposit {
  hash: string;
  isOnChain: boolean;
  providerDepositId: string | null;
}

@Injectable()
export class DepositPoller {
  private readonly log = new Logger('DepositPoller');
  /** Everything the provider lists was gone through once; from then on its newest pages will do. */
  private isCaughtUp = false;
  /** Of the run that is under way. */
  private stopping: AbortSignal | undefined;
  /** Who has failed to answer in this run, and in the last one that came to its end. */
  private readonly silent = new Set<Party>();
  private last: { readonly silent: ReadonlySet<Party>; readonly endedMs: number } | undefined;

  constructor(
    private readonly config: AppConfig,
    private readonly dataSource: DataSource,
    private readonly provider: DepositProvider,
    private readonly chain: Chain,
    private readonly deposits: DepositsService,
    private readonly reorganisations: DepositReorganisations,
  ) {}

  @Job({
    name: 'deposit-poll',
    purpose: 'Looks up deposits whose callbacks were lost, and all that are not settled yet',
    everySeconds: 'DEPOSIT_POLL_SECONDS',
    exclusive: true,
  })
  async poll(stopping: AbortSignal): Promise<void> {
    this.stopping = stopping;
    this.silent.clear();
    await this.readList();
    await this.lookUpOpen();
    await this.lookUpCredited();
    await this.lookUpClaims();
    await this.tryWith('chain', () => this.requireChain()); // the poll may have asked it nothing
    this.last = { silent: new Set(this.silent), endedMs: performance.now() };
  }

  /** Whether a party answered all that the last poll asked; null before the first poll, and when the next ones are overdue. */
  answers(party: Party): boolean | null {
    const validMs = 2 * this.config.DEPOSIT_POLL_SECONDS * 1000 + OVERDUE_MS;
    if (!this.last || performance.now() - this.last.endedMs > validMs) return null;
    return !this.last.silent.has(party);
  }

  private async requireChain(): Promise<void> {
    const { status } = chainCondition(await this.chain.state(), this.config.CHAIN_ID);
    if (status === 'unhealthy') fail('BLOCKCHAIN_ERROR');
  }

  private async readList(): Promise<void> {
    const wasCaughtUp = this.isCaughtUp;
    this.isCaughtUp = false;
    let missed = false;
    for (let page = 0; page < MOST_PAGES; page++) {
      const told = await this.tryWith('provider', () => this.provider.list(page * PAGE_SIZE, PAGE_SIZE));
      if (!told) return;
      const news = await this.newsOf(told.deposits);
      for (const deposit of news) {
        const party = isReadOnChain(deposit.currency, deposit.network) ? 'chain' : 'provider';
        missed = !(await this.tryWith(party, () => this.deposits.observe(deposit))) || missed;
      }
      if (told.isLast || (wasCaughtUp && news.length === 0)) break;
    }
    this.isCaughtUp = !missed;
  }

  /** Of ours, and not settled yet. */
  private async newsOf(told: readonly ProviderDeposit[]): Promise<ProviderDeposit[]> {
    const words = told.flatMap((deposit) => {
      const word = wordOf(deposit);
      return 'recorded' in word
        ? []
        : [{ id: word.id, network: word.network, address: word.address, good: word.outcome === 'succeeded' }];
    });
    const rows = (await this.dataSource.query(
      `select told.id from jsonb_to_recordset($1) as told(id text, network text, address text, good boolean)
        where exists (select from deposit_address as ours where ours.network = told.network and ours.address = told.address)
          and not exists (
            select from deposit as known
             where known.provider_deposit_id = told.id
               and (known.status = 'completed' or known.hold_reason is not null
                    or known.status = 'failed' and not (known.failure = 'vanished' and told.good)))`,
      [JSON.stringify(words)],
    )) as { id: string }[];
    const news = new Set(rows.map(({ id }) => id));
    return told.filter(({ id }) => news.has(id));
  }

  private async lookUpOpen(): Promise<void> {
    const open = await this.longestUnchecked('not only_claimed', MOST_OPEN_DEPOSITS);
    const onChain = new Set(open.filter(({ isOnChain }) => isOnChain).map(({ hash }) => hash));
    for (const hash of onChain) await this.tryWith('chain', () => this.deposits.verify(hash));
    for (const { isOnChain, providerDepositId } of open) {
      if (isOnChain || providerDepositId === null) continue;
      await this.tryWith('provider', () => this.askProvider(providerDepositId));
    }
  }

  /** Runs after everything else, so that claims do not delay deposits that the chain or the provider has shown. */
  private async lookUpClaims(): Promise<void> {
    const claims = await this.longestUnchecked('only_claimed', MOST_OPEN_CLAIMS);
    for (const hash of new Set(claims.map((claim) => claim.hash)))
      await this.tryWith('chain', () => this.deposits.verify(hash));
  }

  private async lookUpCredited(): Promise<void> {
    for (const hash of await this.reorganisations.due())
      await this.tryWith('chain', () => this.reorganisations.recheck(hash));
  }

  private async askProvider(id: string): Promise<void> {
    const told = await this.provider.find(id);
    if (told) await this.deposits.observe(told);
    else await this.deposits.missing(id);
  }

  /** Takes those that were looked up longest ago, so that all come round. */
  private longestUnchecked(which: 'only_claimed' | 'not only_claimed', most: number): Promise<OpenDeposit[]> {
    return this.dataSource.query(
      `with due as (
         select id from deposit
          where status in ('pending', 'confirming') and hold_reason is null and ${which}
          order by checked_at nulls first, id limit $1 for update skip locked
       ), checked as (
         update deposit set checked_at = clock_timestamp() from due where deposit.id = due.id
         returning deposit.tx_hash, deposit.provider_deposit_id,
                   network = 'ERC20' and (currency = 'USDC' or (currency = 'ETH' and provider_deposit_id is null)) as on_chain
       )
       select tx_hash as hash, provider_deposit_id as "providerDepositId", on_chain as "isOnChain" from checked`,
      [most],
    );
  }

  /** One deposit's failure does not keep the others from their turn; a party that is silent is left alone. */
  private async tryWith<Result>(party: Party, attempt: () => Promise<Result>): Promise<Result | undefined> {
    if (this.stopping?.aborted || this.silent.has(party)) return undefined;
    try {
      return await attempt();
    } catch (error) {
      const code = error instanceof DomainError ? error.code : undefined;
      if (code === SILENCE[party]) this.silent.add(party);
      this.log.warn({
        msg: 'a deposit could not be looked up',
        party,
        ...(code ? { code } : { err: error }),
      });
      return undefined;
    }
  }
}
