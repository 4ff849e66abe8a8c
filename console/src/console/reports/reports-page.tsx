import { Group } from '@mantine/core';
import { inLanguage } from '../../ui/language.ts';
import { FilterField } from '../../ui/filter-field.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { usePermits } from '../session.ts';
import { InvestmentsReport } from './investments-report.tsx';
import { RevenueReport } from './revenue-report.tsx';
import { UsersReport } from './users-report.tsx';

const T = inLanguage({
  title: ['Reports', 'Berichte'],
  users: ['Users', 'Nutzer'],
  investments: ['Investments', 'Investitionen'],
  revenue: ['Revenue', 'Einnahmen'],
  from: ['First day', 'Erster Tag'],
  to: ['Last day', 'Letzter Tag'],
});

const TABS = ['users', 'investments', 'revenue'] as const;

/** How users, investments and revenue have developed. */
export default function ReportsPage() {
  const [url, setUrl] = useUrlState({ tab: 'users', from: '', to: '', interval: '', period: '', page: '1' });
  const maySeeRevenue = usePermits('dashboard:read');
  const tabs = TABS.filter((tab) => tab !== 'revenue' || maySeeRevenue);
  const selected = tabs.find((candidate) => candidate === url.tab) ?? 'users';
  const range = { ...(url.from ? { startDate: url.from } : {}), ...(url.to ? { endDate: url.to } : {}) };
  return (
    <>
      <PageHead title={T.title} />
      <Tabs
        label={T.title}
        tabs={tabs.map((id) => ({ id, title: T[id] }))}
        selected={selected}
        hrefOf={(id) => (id === 'users' ? '?' : `?tab=${id}`)}
      />
      {selected !== 'revenue' && (
        <Group align="end" my="md">
          <FilterField type="date" label={T.from} value={url.from} onChange={(from) => setUrl({ from })} />
          <FilterField type="date" label={T.to} value={url.to} onChange={(to) => setUrl({ to })} />
        </Group>
      )}
      {selected === 'users' && (
        <UsersReport range={range} interval={url.interval} onInterval={(interval) => setUrl({ interval })} />
      )}
      {selected === 'investments' && <InvestmentsReport range={range} />}
      {selected === 'revenue' && (
        <RevenueReport period={url.period} onPeriod={(period) => setUrl({ period })} />
      )}
    </>
  );
}
