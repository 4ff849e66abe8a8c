import { Injectable } from '@nestjs/common';
import { AppConfig } from '../../config/app-config.js';
import { Clock } from '../../common/clock.js';
import { fail } from '../../common/errors/domain-error.js';
import type { Money } from '../../common/money.js';
import { DepositPollJob } from '../deposits/deposit-poll.job.js';
import { toNotificationResponse } from '../notifications/notifications.mapper.js';
import { StrategiesService } from '../strategies/strategies.service.js';
import { toTransactionResponse } from '../transactions/transactions.mapper.js';
import type { WithdrawalAllowance } from '../withdrawals/withdrawals.queries.js';
import { ChainWatch } from './chain-watch.js';
import type { DashboardQuery } from './dto/dashboard.request.js';
import { balanceSection, chartsSection, investmentsSection, portfolioSection } from './dashboard.sections.js';
import { DashboardSources, type Sources } from './dashboard.sources.js';
import type { DashboardResponse } from './dto/dashboard.response.js';
import { quickActions, type QuickActionResponse } from './quick-actions.js';
import { userSection } from './user.section.js';

type ReadSections = Omit<DashboardResponse, 'systemStatus' | 'charts'> &
  Pick<Required<DashboardResponse>, 'charts'>;
/** A section is undefined while its source is down; charts are absent when they were not asked for. */
type MaybeSections = { [Name in keyof Omit<ReadSections, 'charts'>]: ReadSections[Name] | undefined } & {
  charts?: ReadSections['charts'] | undefined;
};

@Injectable()
export class DashboardService {
  constructor(
    private readonly sources: DashboardSources,
    private readonly chain: ChainWatch,
    private readonly deposits: DepositPollJob,
    private readonly strategies: StrategiesService,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /** Throws USER_NOT_FOUND, PARTIAL_DATA_AVAILABLE with the sections that there are, SERVICE_UNAVAILABLE with none. */
  async of(userId: string, query: DashboardQuery): Promise<DashboardResponse> {
    const [read, chain] = await Promise.all([this.sources.read(userId, query), this.chain.health()]);
    const sections = this.sectionsOf(read, query);
    const unavailable = Object.entries(sections).flatMap(([name, section]) => (section ? [] : [name]));
    if (unavailable.length === Object.keys(sections).length) throw read.failures[0];
    const working = read.failures.length === 0 ? 'healthy' : 'degraded';
    const systemStatus = {
      ...{ blockchain: chain.status, database: working, api: working },
      lastUpdate: chain.checkedAt.toISOString(), // the chain was checked before the sections were read
    };
    const whole = { ...sections, systemStatus };
    if (unavailable.length > 0) fail('PARTIAL_DATA_AVAILABLE', { unavailable, sections: whole });
    return whole as DashboardResponse;
  }

  private sectionsOf(read: Sources, query: DashboardQuery): MaybeSections {
    const { user, money, investments, allowance, transactions, notifications } = read;
    return {
      user: user && userSection(user.person, user.walletAddress),
      balance: money && balanceSection(money.balance, money.dayAgo),
      investments: investments && investmentsSection(investments, this.clock.today()),
      recentTransactions: transactions?.map(toTransactionResponse),
      recentNotifications: notifications?.map(toNotificationResponse),
      portfolio: money && portfolioSection(money.balance, this.strategies),
      ...(query.includeCharts ? { charts: money && chartsSection(money.days, money.balance.positions) } : {}),
      quickActions: money && allowance && this.actions(money.balance.funds.available, allowance),
    };
  }

  private actions(available: Money, withdrawals: WithdrawalAllowance): QuickActionResponse[] {
    const acceptsDeposits = this.deposits.isAnswering('provider') !== false;
    return quickActions({ available, withdrawals, acceptsDeposits }, this.strategies, this.config);
  }
}
