import { FlagQuery, IntegerQuery, WholeChoiceQuery } from '../../http/validation/inputs.js';

const PERIODS = [7, 30, 90] as const;
const MOST_RECENT = 50;

export class DashboardQuery {
  @FlagQuery({ description: 'false when absent' })
  includeCharts: boolean = false;

  @WholeChoiceQuery(PERIODS, { description: 'days of the charts' })
  period: number = 30;

  @IntegerQuery(0, MOST_RECENT)
  recentTransactions: number = 5;

  @IntegerQuery(0, MOST_RECENT)
  recentNotifications: number = 3;
}
