import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AppConfig } from '../../../config/app-config.js';
import { all } from '../../../database/statements.js';
import { UnitOfWork, type Tx } from '../../../database/unit-of-work.js';
import { Clock } from '../../../common/clock.js';
import { throwError, failAmount } from '../../../common/errors/domain-error.js';
import { newId } from '../../../common/ids.js';
import { Money } from '../../../common/money.js';
import type { Rows } from '../../../http/request/pagination.js';
import { AddressesService } from '../addresses/addresses.service.js';
import { readDestination } from '../addresses/domain/destination.js';
import { LedgerService, requireSufficient } from '../../core/ledger/ledger.service.js';
import { withdrawalRequested } from '../../core/ledger/domain/postings.js';
import type { StepUpCheck } from '../../../http/auth/step-up.js';
import { currentLock } from '../../identity/users/domain/account-restrictions.js';
import { SecurityHoldsService } from '../../identity/users/account-restrictions.service.js';
import type { UserTier } from '../../identity/users/domain/limit-tier.js';
import { LimitTiersService } from '../../identity/users/limit-tiers.service.js';
import { tightestWindow, windowsOf, type UsedAmounts } from './domain/limit-windows.js';
import {
  requireNeverReturned,
  requireUnreleased,
  WITHDRAWAL_STATES,
} from './domain/withdrawal.state-machine.js';
import type { CreateWithdrawalRequest } from './dto/withdrawals.request.js';
import type { Withdrawal } from './entities/withdrawal.entity.js';
import { PlatformLimitService } from './platform-limit.service.js';
import { causeOfPause, WithdrawalPausesService } from './withdrawal-pauses.service.js';
import { WithdrawalScreeningService } from './withdrawal-screening.service.js';
import { WithdrawalTransitionsService } from './withdrawal-transitions.service.js';
import { WithdrawalsRepository } from './withdrawals.repository.js';
import type {
  Actor,
  NewWithdrawal,
  ProviderFailureResult,
  WithdrawalAllowance,
} from './withdrawals.types.js';
import type { PageRequest } from '../../../lists/list-page.js';

/** Requests and cancels withdrawals for users, records reported failures, and releases the reserved amounts of failed ones. */
@Injectable()
export class WithdrawalsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly ledger: LedgerService,
    private readonly clock: Clock,
    private readonly config: AppConfig,
    private readonly withdrawals: WithdrawalsRepository,
    private readonly transitions: WithdrawalTransitionsService,
    private readonly pauses: WithdrawalPausesService,
    private readonly screening: WithdrawalScreeningService,
    private readonly holds: SecurityHoldsService,
    private readonly addresses: AddressesService,
    private readonly tiers: LimitTiersService,
    private readonly platformLimit: PlatformLimitService,
  ) {}

  /** A user's withdrawals, newest first. */
  listWithdrawals(userId: string, request: PageRequest): Promise<Rows<Withdrawal>> {
    return this.withdrawals.findPageOfUser(userId, request);
  }

  /** When the oldest open withdrawal (pending, approved or processing) was requested; null if none is open. */
  findOldestOpenRequestTime(): Promise<Date | null> {
    return this.withdrawals.findOldestOpenRequestTime();
  }

  /** Throws WITHDRAWAL_NOT_FOUND; PERMISSION_DENIED for another user's withdrawal. */
  async getWithdrawal(id: string, userId: string): Promise<Withdrawal> {
    const withdrawal = await this.withdrawals.findWithdrawal(id);
    if (!withdrawal) throwError('WITHDRAWAL_NOT_FOUND');
    return withdrawal.userId === userId ? withdrawal : throwError('PERMISSION_DENIED');
  }

  /** The limits that a withdrawal of the user has to meet now. Ignores the balance. */
  async getAllowance(userId: string, manager?: EntityManager): Promise<WithdrawalAllowance> {
    const now = this.clock.now();
    const { used, pausedBy, ...account } = await this.withdrawals.getAllowance(userId, now, manager);
    const tier = this.tiers.tierOf(userId, account);
    return {
      tier,
      used,
      windows: windowsOf(tier, used),
      pauseCause: pausedBy === null ? null : causeOfPause(pausedBy),
      hold: this.holds.holdOf(account),
      lock: currentLock(account),
    };
  }

  /**
   * Reserves the amount and creates a pending withdrawal. Throws the errors of the route, among them INVALID_STATE for an
   * address that screening has blocked. With `isAddressBookRequired` the destination has to be a usable address of the
   * address book even if the user's tier does not require it. The withdrawal waits if it exceeds the limit of the platform.
   */
  async requestWithdrawal(
    userId: string,
    request: CreateWithdrawalRequest,
    requireStepUp: StepUpCheck,
    { isAddressBookRequired = false }: { isAddressBookRequired?: boolean } = {},
  ): Promise<NewWithdrawal> {
    const amount = Money.of(request.amount);
    if (!amount.isPositive()) failAmount('must be above zero');
    const destination = readDestination(request.toAddress);
    return this.unitOfWork.runInTransaction(async (tx) => {
      // The order decides which refusal the user sees: a lock of the account, a missing step-up, a hold, a pause. The used amounts are
      // read under the lock of the balance, so that of two concurrent requests of the user the second counts the first.
      const [, , isDepositAddress, available, { used, ...tierColumns }] = await all(
        requireStepUp(tx, { ...request, toAddress: destination.address }),
        this.pauses.requireNoPause(tx),
        this.addresses.isDepositAddress(tx, destination.address, 'toAddress'),
        this.ledger.lockAvailable(tx, userId),
        this.withdrawals.getUsedAmounts(tx, userId, this.clock.now()),
      );
      const tier = this.tiers.tierOf(userId, tierColumns);
      requireMinimum(tier, amount);
      if (isAddressBookRequired || tier.addressBook === 'required')
        await this.addresses.requireUsableAddress(tx, userId, destination.address);
      requireSufficient(available, amount);
      requireWithinLimits(tier, used, amount);
      // After the balance, so that a user without money cannot find out which addresses are deposit addresses.
      const { address } = destination;
      await this.addresses.refuseDepositAddress(tx, userId, {
        address,
        isDepositAddress,
        field: 'toAddress',
      });
      await this.screening.requireUnblockedDestination(tx, destination.address);
      const isHeld = await this.platformLimit.isExceededBy(tx, amount); // the last lock, which requests of all users wait for
      const at = this.clock.now(); // under the locks, so that the times of the user's entries ascend
      const by: Actor = { type: 'user', id: userId };
      const withdrawal = this.withdrawals.insertWithdrawal(tx, by, {
        id: newId(),
        userId,
        amount,
        currency: request.currency,
        status: 'pending',
        createdAt: at,
        toAddress: destination.address,
        addressChecksum: destination.checksum,
        txHashShared: false,
        platformHeldAt: isHeld ? at : null,
      });
      await this.ledger.post(tx, withdrawalRequested({ withdrawalId: withdrawal.id, userId, amount, at }));
      await this.transitions.emitWithdrawalEvent(tx, 'withdrawal.requested', withdrawal, at);
      if (isHeld) await this.platformLimit.emitLimitEvent(tx, 'withdrawal-limit.held', withdrawal, at);
      return withdrawal;
    });
  }

  /**
   * Cancels a pending withdrawal of the user; the transition posts its amount back. Throws PERMISSION_DENIED for
   * another user's withdrawal, and INVALID_STATE also for one that an operator has returned (DEC-140).
   */
  async cancelWithdrawal(id: string, userId: string): Promise<Withdrawal> {
    const by: Actor = { type: 'user', id: userId };
    return this.unitOfWork.runInTransaction(async (tx) => {
      const cancel = { verb: 'cancel', by } as const;
      const [cancelled] = await this.transitions.applyTransition(
        tx,
        id,
        cancel,
        (withdrawal, at, wasReturned) => {
          requireNeverReturned(withdrawal, wasReturned);
          return { cancelledAt: at };
        },
        () => this.withdrawals.wasReturned(tx, id),
      );
      return cancelled;
    });
  }

  /**
   * Marks a withdrawal in processing failed; its amount stays reserved. Any other withdrawal stays as it is. The deposit
   * provider's protocol reports failures of withdrawals, although operators pay them at the custody provider.
   */
  async recordProviderFailure(withdrawalId: string, reason: string): Promise<ProviderFailureResult> {
    const by: Actor = { type: 'provider', id: this.config.DEPOSIT_PROVIDER_NAME };
    return this.unitOfWork.runInTransaction(async (tx) => {
      const withdrawal = await this.withdrawals.lockIfExists(tx, withdrawalId);
      if (!withdrawal) return 'unknown';
      if (withdrawal.status === 'failed') return 'already-failed';
      if (withdrawal.status !== 'processing') return 'not-processing';
      await this.transitions.applyTransition(tx, withdrawal.id, { verb: 'fail', by }, () => ({
        note: reason,
      }));
      return 'failed';
    });
  }

  /** For a reversal: locks a failed withdrawal whose amount can be released. Throws WITHDRAWAL_NOT_FOUND, INVALID_STATE. */
  async lockReleasable(tx: Tx, id: string): Promise<{ userId: string; amount: Money }> {
    const withdrawal = await this.withdrawals.lockWithdrawal(tx, id);
    WITHDRAWAL_STATES.requireAllowed(withdrawal.status, 'release');
    requireUnreleased(withdrawal, 'release');
    return { userId: withdrawal.userId, amount: withdrawal.amount };
  }

  /** Books a reversal: posts the amount of a failed withdrawal back to the user, once. Throws as `lockReleasable` does. */
  async releaseWithdrawal(tx: Tx, id: string, admin: { readonly email: string }): Promise<void> {
    const by: Actor = { type: 'admin', id: admin.email };
    await this.transitions.applyTransition(tx, id, { verb: 'release', by }, (withdrawal, at) => {
      requireUnreleased(withdrawal, 'release');
      return { releasedAt: at };
    });
  }
}

function requireMinimum({ withdrawal: { minimum } }: UserTier, amount: Money): void {
  if (!amount.isLessThan(minimum)) return;
  const message = `The smallest withdrawal is ${minimum.toWire()} USDC.`;
  failAmount(message, { minimum, requested: amount }, 422);
}

function requireWithinLimits(tier: UserTier, used: UsedAmounts, amount: Money): void {
  const { window, limit, used: usedOfWindow, left } = tightestWindow(windowsOf(tier, used));
  if (!amount.isMoreThan(left)) return;
  throwError('WITHDRAWAL_LIMIT_EXCEEDED', {
    window,
    limit: limit.toWire(),
    used: usedOfWindow.toWire(),
    available: left.toWire(), // of the window, not of the balance
    dailyLimit: tier.withdrawal.perDay.toWire(),
    usedToday: used.day.toWire(),
  });
}
