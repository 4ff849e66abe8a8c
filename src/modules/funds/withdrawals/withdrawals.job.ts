import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { DAY_MS } from '../../../common/durations.js';
import { Money } from '../../../common/money.js';
import { Job } from '../../../jobs/job.decorator.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { ChainClient } from '../../providers/chain/chain.client.js';
import { TransactionLookupService } from '../../providers/chain/transaction-lookup.service.js';
import { BLOCKS_PER_REQUEST, MAX_BLOCKS } from './payment-search.service.js';
import { PlatformLimitService } from './platform-limit.service.js';
import { WithdrawalPaymentsRepository, type UnpayableWithdrawal } from './withdrawal-payments.repository.js';
import { WithdrawalPaymentsService } from './withdrawal-payments.service.js';

/** Compares completed withdrawals with the chain until each check is matched or a mismatch. */
@Injectable()
export class WithdrawalChainChecksJob {
  constructor(
    private readonly lookups: TransactionLookupService,
    private readonly repository: WithdrawalPaymentsRepository,
    private readonly payments: WithdrawalPaymentsService,
  ) {}

  @Job({
    name: 'withdrawal-chain-checks',
    purpose:
      'Looks up the transaction hashes of completed withdrawals on chain until each is matched or a mismatch',
    everySeconds: 60,
  })
  async recheckUnverified(stopping: AbortSignal): Promise<void> {
    const unverified = await this.repository.findUnverified();
    await this.lookups.recheckUnverified(
      unverified,
      (id, lookup) => this.payments.recordChainCheck(id, lookup),
      stopping,
    );
  }
}

/** How long after its release, rejection, cancellation or completion a withdrawal is watched (DEC-29). */
const WATCH_FOR_MS = 7 * DAY_MS;
const ADDRESSES_PER_REQUEST = 200;
/** Blocks that are read again, because a reorganisation may add a transfer to them. */
const OVERLAP_BLOCKS = 50;

/** A transfer on chain that may be a late payment of the withdrawal. */
interface Candidate {
  readonly withdrawalId: string;
  readonly txHash: string;
}

/**
 * Searches the chain for payments of failed, rejected and cancelled withdrawals, and for second payments of withdrawals that were
 * completed after a failure.
 */
@Injectable()
export class LatePaymentsJob {
  /** Ids of the withdrawals whose transfers were searched up to the block `readUntil`. */
  private searchedIds: ReadonlySet<string> = new Set();
  private readUntil = -1;
  /** Transfers about which `checkLatePayment` could not decide yet; each run checks them again. */
  private undecided: Candidate[] = [];

  constructor(
    private readonly clock: Clock,
    private readonly chain: ChainClient,
    private readonly repository: WithdrawalPaymentsRepository,
    private readonly payments: WithdrawalPaymentsService,
  ) {}

  /** Throws BLOCKCHAIN_ERROR. */
  @Job({
    name: 'late-payments',
    purpose:
      'Looks on chain for payments of failed, rejected and cancelled withdrawals, and for second payments of those completed after a failure, and raises an alert for each',
    everySeconds: 60,
    exclusive: true,
  })
  async searchLatePayments(stopping: AbortSignal): Promise<void> {
    const since = new Date(this.clock.now().getTime() - WATCH_FOR_MS);
    const unpayable = await this.repository.findUnpayable(since);
    const ids = new Set(unpayable.map(({ id }) => id));
    const candidates = this.undecided.filter(({ withdrawalId }) => ids.has(withdrawalId));
    if (unpayable.length > 0) candidates.push(...(await this.searchChain(unpayable, stopping)));
    this.searchedIds = ids;
    const distinct = new Map(candidates.map((found) => [`${found.withdrawalId} ${found.txHash}`, found]));
    this.undecided = [...distinct.values()];
    for (const candidate of distinct.values()) {
      if (stopping.aborted) return;
      const result = await this.payments.checkLatePayment(candidate.withdrawalId, candidate.txHash, 'job');
      if (result !== 'undecided') this.undecided = this.undecided.filter((pending) => pending !== candidate);
    }
  }

  /**
   * Searches the last `MAX_BLOCKS` blocks for payments of withdrawals that are new to this process, and the blocks from
   * `readUntil`, less the overlap, for payments of the rest.
   */
  private async searchChain(
    unpayable: readonly UnpayableWithdrawal[],
    stopping: AbortSignal,
  ): Promise<Candidate[]> {
    const newest = await this.chain.newestBlock();
    const oldest = Math.max(0, newest - MAX_BLOCKS + 1);
    const resumeFrom = Math.max(oldest, this.readUntil - OVERLAP_BLOCKS);
    const wasSearched = ({ id }: UnpayableWithdrawal) => this.searchedIds.has(id);
    const unsearched = unpayable.filter((withdrawal) => !wasSearched(withdrawal));
    const searched = unpayable.filter(wasSearched);
    const candidates = [
      ...(await this.findTransfers(unsearched, { first: oldest, last: newest }, stopping)),
      ...(await this.findTransfers(searched, { first: resumeFrom, last: newest }, stopping)),
    ];
    this.readUntil = newest;
    return candidates;
  }

  /** Transfers of exactly the amount of one of the withdrawals to its address. */
  private async findTransfers(
    withdrawals: readonly UnpayableWithdrawal[],
    { first, last }: { readonly first: number; readonly last: number },
    stopping: AbortSignal,
  ): Promise<Candidate[]> {
    const candidates: Candidate[] = [];
    const addresses = [...new Set(withdrawals.map(({ toAddress }) => toAddress.toLowerCase()))];
    for (let start = 0; start < addresses.length; start += ADDRESSES_PER_REQUEST) {
      const batch = addresses.slice(start, start + ADDRESSES_PER_REQUEST);
      for (let from = first; from <= last && !stopping.aborted; from += BLOCKS_PER_REQUEST) {
        const until = Math.min(last, from + BLOCKS_PER_REQUEST - 1);
        for (const { hash, to, amount } of await this.chain.transfersTo(batch, from, until))
          for (const { id, toAddress, amount: due } of withdrawals)
            if (toAddress.toLowerCase() === to.toLowerCase() && amount.equals(Money.of(due)))
              candidates.push({ withdrawalId: id, txHash: hash });
      }
    }
    return candidates;
  }
}

const RELEASED_PER_RUN = 500;
const ALERT_FROM = Money.of('0.8'); // of the limit
const LIMIT_ALERT = 'platform-limit';
const LIMIT_SETTING = 'PLATFORM_WITHDRAWAL_PER_DAY';

@Injectable()
export class PlatformLimitJob {
  constructor(
    private readonly platformLimit: PlatformLimitService,
    private readonly alerts: AlertsService,
  ) {}

  @Job({
    name: 'platform-limit',
    purpose:
      'Releases withdrawals that wait because of PLATFORM_WITHDRAWAL_PER_DAY when there is room, and raises an alert at 80 % of it',
    everySeconds: 10,
    exclusive: true,
  })
  async applyLimit(stopping: AbortSignal): Promise<void> {
    for (const id of await this.platformLimit.listWaiting(RELEASED_PER_RUN)) {
      if (stopping.aborted) return;
      if (!(await this.platformLimit.releaseIfRoom(id))) break; // later ones wait for the oldest
    }
    await this.updateAlert();
  }

  private async updateAlert(): Promise<void> {
    const { limit } = this.platformLimit;
    const isNear =
      limit && !(await this.platformLimit.getUsedAndWaiting(limit)).isLessThan(limit.times(ALERT_FROM));
    const isOpen = (await this.alerts.listOpenAlerts([LIMIT_ALERT])).length > 0;
    if (isNear && !isOpen)
      await this.alerts.raise({
        kind: LIMIT_ALERT,
        subject: { type: 'setting', id: LIMIT_SETTING },
        message: `The withdrawals of all users in 24 hours have reached 80 % of ${LIMIT_SETTING}. Requests above it wait.`,
        nextStep:
          'Find out why more is withdrawn than usual. If it is in order, raise the setting, or let two admins release waiting ' +
          'withdrawals by POST /api/admin/withdrawals/:id/release.',
      });
    if (!isNear && isOpen) await this.alerts.resolveBySystem(LIMIT_ALERT, LIMIT_SETTING);
  }
}
