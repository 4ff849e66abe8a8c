import { Badge, Group, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, type Answer } from '../../api/client.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { formatCount } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Shortcuts } from '../../ui/list-keys.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { pageOf, paginationOf } from '../../ui/pages.ts';
import { SavedViews } from '../../ui/saved-views.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Age, Moment, Money } from '../../ui/values.tsx';
import { Actions } from '../desk/actions.tsx';
import { usePermits } from '../session.ts';
import { createUser } from './create-user.ts';
import { USER_STATUS, USER_STATUS_COLOURS } from './texts.ts';

const T = inLanguage({
  title: ['Users', 'Nutzer'],
  search: ['Search', 'Suche'],
  searchMeaning: ['E-mail, name or wallet', 'E-Mail, Name oder Wallet'],
  empty: ['No user matches.', 'Kein Nutzer passt.'],
  email: ['E-mail', 'E-Mail'],
  status: ['Status', 'Status'],
  tier: ['Limits', 'Grenzen'],
  invested: ['Invested in total', 'Insgesamt investiert'],
  withdrawn: ['Withdrawn', 'Ausgezahlt'],
  registered: ['Registered', 'Registriert'],
  lastSeen: ['Last sign-in', 'Letzte Anmeldung'],
  value: ['Value of all', 'Wert aller'],
  asOf: ['As of', 'Stand'],
});

type ListAnswer = Extract<Answer<'GET /api/admin/users'>, { summary: unknown }>;
type User = ListAnswer['data'][number];
const TABS = ['all', 'active', 'suspended', 'inactive'] as const;
const PAGE_ROWS = 50;

const COLUMNS: readonly Column<User>[] = [
  { key: 'email', header: T.email, cell: ({ email }) => email },
  {
    ...{ key: 'status', header: T.status },
    cell: ({ status }) => (
      <Badge variant="light" color={USER_STATUS_COLOURS[status]}>
        {USER_STATUS[status]}
      </Badge>
    ),
  },
  { key: 'tier', header: T.tier, isSecondary: true, cell: ({ tier }) => tier.name ?? tier.id },
  {
    ...{ key: 'invested', header: T.invested, align: 'right', sort: 'totalInvested' },
    cell: ({ stats }) => <Money amount={stats.totalInvested} />,
  },
  {
    ...{ key: 'withdrawn', header: T.withdrawn, align: 'right', isSecondary: true },
    cell: ({ stats }) => <Money amount={stats.totalWithdrawn} />,
  },
  {
    ...{ key: 'registered', header: T.registered, sort: 'createdAt', isSecondary: true },
    cell: ({ createdAt }) => <Moment at={createdAt} />,
  },
  {
    ...{ key: 'lastSeen', header: T.lastSeen, sort: 'lastLoginAt', isSecondary: true },
    cell: ({ lastLoginAt }) => lastLoginAt && <Age since={lastLoginAt} />,
  },
];

export default function UsersPage() {
  const [url, setUrl, addressAfter] = useUrlState({
    status: 'all',
    sort: 'createdAt',
    order: 'desc',
    page: '1',
    q: '',
  });
  const mayCreate = usePermits('users:write');
  const navigate = useNavigate();
  const status = TABS.find((tab) => tab === url.status) ?? 'all';
  const query = {
    ...{ status, limit: PAGE_ROWS, page: pageOf(url.page) },
    sortBy:
      (['lastLoginAt', 'totalInvested'] as const).find((by) => by === url.sort) ?? ('createdAt' as const),
    orderBy: url.order === 'asc' ? ('asc' as const) : ('desc' as const),
    ...(url.q.trim() ? { search: url.q.trim() } : {}),
  };
  const { data, error, refetch } = useQuery({
    queryKey: ['users', query],
    queryFn: async ({ signal }) => (await api.call('GET /api/admin/users', { query, signal })) as ListAnswer,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead title={T.title}>
        {data && (
          <Text size="sm">
            {T.value} {formatCount(data.summary.totalUsers)}:{' '}
            <Money amount={data.summary.totalPlatformTVL} currency="USDC" /> · {T.asOf}{' '}
            <Moment at={data.summary.asOf} />
          </Text>
        )}
      </PageHead>
      <Tabs
        label={T.title}
        tabs={TABS.map((id) => ({ id, title: USER_STATUS[id] }))}
        selected={status}
        hrefOf={(id) => addressAfter({ status: id })}
      />
      <Group my="sm" align="end">
        <TextInput
          data-filter
          size="xs"
          label={T.search}
          placeholder={T.searchMeaning}
          value={url.q}
          onChange={(event) => setUrl({ q: event.currentTarget.value }, true)}
        />
        <ExportButton
          file="users.csv"
          read={() => api.call('GET /api/admin/users', { query: { ...query, format: 'csv' } })}
        />
        <SavedViews list="users" />
        {mayCreate && (
          <Actions
            isCompact
            actions={[createUser((id) => void navigate(`/users/${id}`))]}
            areas={['users']}
          />
        )}
      </Group>
      <DataTable<User>
        caption={T.title}
        rows={data?.data}
        columns={COLUMNS}
        idOf={({ id }) => id}
        hrefOf={({ id }) => `/users/${id}`}
        empty={T.empty}
        error={data ? undefined : error}
        retry={() => void refetch()}
        sort={{ by: url.sort, order: url.order, onChange: (sort, order) => setUrl({ sort, order }) }}
        {...paginationOf(data?.pagination, setUrl)}
      />
      <Shortcuts isList />
    </>
  );
}
