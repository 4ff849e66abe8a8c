import { dayOf } from '../../../common/days.js';
import type { DashboardStats } from './dashboard-stats.service.js';
import type { ReportInterval } from './domain/periods.js';
import type { DashboardStatsResponse, RevenueResponse } from './dto/dashboard.response.js';
import type {
  InvestmentsReportResponse,
  RevenueReportResponse,
  UsersReportResponse,
} from './dto/report.response.js';
import type { InvestmentsReport } from './investments-report.service.js';
import type { Revenue, RevenueReport } from './revenue.service.js';
import type { UsersReport } from './users-report.service.js';

export function toDashboardStatsResponse(stats: DashboardStats): DashboardStatsResponse {
  return {
    users: {
      total: stats.users.total,
      active: stats.users.active,
      new: stats.users.new,
      growth: stats.users.growthPercent,
    },
    investments: { ...stats.investments, totalValue: stats.investments.totalValue.toWire() },
    revenue: {
      managementFees: stats.fees.management.toWire(),
      platformRevenue: stats.fees.total.toWire(),
      projectedAnnual: stats.projectedAnnual.toWire(),
    },
    protocols: Object.fromEntries(
      stats.protocols.map(({ name, tvl, allocation }) => [name, { tvl: tvl.toWire(), allocation }]),
    ),
    performance: {
      averageAPY: stats.averageApy,
      targetApy: stats.targetApy,
      platformUptime: stats.uptime.percent,
      measuredMinutes: stats.uptime.measuredMinutes,
      avgTransactionTime: stats.meanSettlementMs,
    },
    asOf: stats.asOf.toISOString(),
  };
}

export function toRevenueResponse(revenue: Revenue): RevenueResponse {
  return {
    summary: {
      totalRevenue: revenue.fees.total.toWire(),
      managementFees: revenue.fees.management.toWire(),
      performanceFees: revenue.fees.performance.toWire(),
      projectedAnnual: revenue.projectedAnnual.toWire(),
      revenueGrowth: revenue.feesChangePercent,
      asOf: revenue.asOf.toISOString(),
    },
    breakdown: revenue.days.map(({ day, fees, userCount }) => ({
      date: day,
      revenue: fees.total.toWire(),
      managementFees: fees.management.toWire(),
      userCount,
    })),
    byStrategy: revenue.byStrategy.map(({ strategyId, fees, percentage }) => ({
      strategyId,
      revenue: fees.total.toWire(),
      percentage,
    })),
  };
}

export function toRevenueReportResponse({ range, ...revenue }: RevenueReport): RevenueReportResponse {
  return { period: { startDate: range.from, endDate: range.to }, ...toRevenueResponse(revenue) };
}

export function toUsersReportResponse(report: UsersReport, interval: ReportInterval): UsersReportResponse {
  const { range, summary } = report;
  return {
    period: { startDate: range.from, endDate: range.to, interval },
    summary: {
      ...summary,
      averageInvestmentPerUser: summary.averageInvestmentPerUser.toWire(),
      asOf: report.asOf.toISOString(),
    },
    dataPoints: report.intervals.map(({ start, ...figures }) => ({
      date: interval === 'hourly' ? start.toISOString() : dayOf(start),
      ...figures,
    })),
  };
}

export function toInvestmentsReportResponse(report: InvestmentsReport): InvestmentsReportResponse {
  return {
    summary: {
      totalInvestments: report.count,
      newInvestments: report.newCount,
      totalValue: report.totalValue.toWire(),
      averageInvestment: report.averageAmount.toWire(),
      topStrategy: report.topStrategyId,
      asOf: report.asOf.toISOString(),
    },
    byStrategy: report.byStrategy.map(({ strategyId, count, tvl, achievedApy, targetApy }) => ({
      strategyId,
      count,
      tvl: tvl.toWire(),
      averageAPY: achievedApy,
      targetApy,
    })),
    trends: { weekOverWeek: report.weeklyChangePercent, monthOverMonth: report.monthlyChangePercent },
  };
}
