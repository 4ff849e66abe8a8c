import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../../config/app-config.js';
import type { LimitTier, TierLimits } from '../../../config/limits-file.js';
import type { Tx } from '../../../database/unit-of-work.js';
import { Job } from '../../../jobs/job.decorator.js';
import { AlertsService } from '../../core/alerts/alerts.service.js';
import { CredentialSealsService } from '../../core/seals/credential-seals.service.js';
import {
  strictestOf,
  tiersOf,
  type ApprovalThresholds,
  type TierColumns,
  type UserTier,
} from './domain/limit-tier.js';
import { AccountChangesRepository } from './account-changes.repository.js';

/** The tiers of limits and the tier of each user. */
@Injectable()
export class LimitTiersService {
  readonly tiers: readonly [LimitTier, ...LimitTier[]];
  /** Null without LIMITS_FILE: the users have the first tier of a later file. */
  readonly tierOfNewUsers: string | null;
  private readonly byId: ReadonlyMap<string, LimitTier>;
  private readonly strictest: TierLimits;

  constructor(
    config: AppConfig,
    private readonly changes: AccountChangesRepository,
    private readonly seals: CredentialSealsService,
  ) {
    this.tiers = tiersOf(config);
    this.tierOfNewUsers = config.LIMITS_FILE ? this.tiers[0].id : null;
    this.byId = new Map(this.tiers.map((tier) => [tier.id, tier]));
    this.strictest = strictestOf(this.tiers);
  }

  findTier(id: string): LimitTier | undefined {
    return this.byId.get(id);
  }

  /** The tier of a user, which cannot change before the transaction ends if the caller has locked the user. */
  async getTierOfUser(tx: Tx, userId: string): Promise<UserTier> {
    return this.tierOf(userId, await this.changes.getTierColumns(userId, tx));
  }

  /**
   * The tier of a user that was read before. For a tier that LIMITS_FILE does not have, the strictest limits of all its tiers apply.
   * If the records of the user's tier differ, somebody has changed one of them: the strictest limits of both apply, and an alert
   * reports the user.
   */
  tierOf(userId: string, { tier, recordedTier }: TierColumns): UserTier {
    const [first] = this.tiers;
    const id = tier ?? first.id;
    const recordedId = recordedTier ?? first.id;
    if (id === recordedId) return this.byId.get(id) ?? { ...this.strictest, id, name: null };
    this.seals.reportRow('platform_user', userId);
    const limits = strictestOf([this.limitsOf(id), this.limitsOf(recordedId)]);
    return { ...limits, id: recordedId, name: this.byId.get(recordedId)?.name ?? null };
  }

  get approvalThresholds(): ApprovalThresholds {
    const textOf = ({ approvalAbove }: TierLimits) => approvalAbove?.toString() ?? null;
    return {
      first: textOf(this.tiers[0]),
      other: textOf(this.strictest),
      tiers: Object.fromEntries(this.tiers.map((tier) => [tier.id, textOf(tier)])),
    };
  }

  /** Tiers of users that LIMITS_FILE does not have, with the number of their users. */
  listUnknownTiers(): Promise<{ tier: string; users: number }[]> {
    return this.changes.countUsersOfOtherTiers([...this.byId.keys()]);
  }

  private limitsOf(id: string): TierLimits {
    return this.byId.get(id) ?? this.strictest;
  }
}

const KIND = 'unknown-tier';

/** Raises an alert about each tier that users have and LIMITS_FILE does not, and resolves it when no user has it any more. */
@Injectable()
export class UnknownTiersJob {
  constructor(
    private readonly tiers: LimitTiersService,
    private readonly alerts: AlertsService,
  ) {}

  @Job({
    name: 'unknown-tiers',
    purpose: 'Raises alerts about tiers of users that LIMITS_FILE does not have, and resolves them',
    everySeconds: 300,
    atStart: true,
  })
  async updateAlerts(): Promise<void> {
    const unknown = await this.tiers.listUnknownTiers();
    const reported = (await this.alerts.listOpenAlerts([KIND])).map(({ subjectId }) => subjectId);
    for (const { tier, users } of unknown)
      if (!reported.includes(tier))
        await this.alerts.raise({
          kind: KIND,
          subject: { type: 'tier', id: tier },
          message: `LIMITS_FILE has no tier "${tier}", which ${users} user(s) have. The strictest limits of all its tiers apply to them.`,
          nextStep: `Add the tier to LIMITS_FILE and restart, or move the users to another one by PUT /api/admin/users/:id/tier.`,
        });
    for (const tier of reported)
      if (!unknown.some((other) => other.tier === tier)) await this.alerts.resolveBySystem(KIND, tier);
  }
}
