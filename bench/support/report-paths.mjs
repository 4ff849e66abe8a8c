// All admin dashboards and reports, with each period and interval.

const PERIODS = ['24h', '7d', '30d', '90d', '1y', 'all'];
const MAX_HOURLY_DAYS = 45; // the longest range of hours: 45 × 24 = 1,080 points; the limit is 1,100

export function reportPaths(today) {
  const day = (ago) => new Date(today.getTime() - ago * 86_400_000).toISOString().slice(0, 10);
  const users = (interval, ago) =>
    `/api/admin/reports/users?interval=${interval}&startDate=${day(ago)}&endDate=${day(1)}`;
  return [
    ...PERIODS.map((period) => `/api/admin/dashboard/stats?period=${period}`),
    ...PERIODS.map((period) => `/api/admin/dashboard/revenue?period=${period}&breakdown=true`),
    users('hourly', MAX_HOURLY_DAYS),
    users('hourly', 31), // a month
    ...['daily', 'weekly', 'monthly'].map((interval) => users(interval, 365)),
    `/api/admin/reports/investments?startDate=${day(365)}&endDate=${day(1)}`,
    '/api/admin/reports/investments',
    '/api/admin/investments/summary',
  ];
}
