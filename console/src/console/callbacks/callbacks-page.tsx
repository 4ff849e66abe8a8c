import { Badge, Group } from '@mantine/core';
import type { Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { Shortcuts } from '../../ui/list-keys.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { pageOf, paginationOf } from '../../ui/pages.ts';
import { SavedViews } from '../../ui/saved-views.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Moment } from '../../ui/values.tsx';
import { recordText } from '../record-names.ts';
import { KIND, STATUS, STATUS_COLOURS, T } from './texts.ts';

type Callback = Answer<'GET /api/admin/webhook-events'>['data'][number];
const TABS = ['all', 'received', 'failed', 'ignored', 'processed'] as const;
const PAGE_ROWS = 50;

const COLUMNS: readonly Column<Callback>[] = [
  { key: 'received', header: T.received, cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
  { key: 'provider', header: T.provider, cell: ({ provider }) => provider },
  { key: 'kind', header: T.kind, cell: ({ kind }) => KIND[kind] },
  {
    ...{ key: 'status', header: T.status },
    cell: ({ status }) => (
      <Badge variant="light" color={STATUS_COLOURS[status]}>
        {STATUS[status]}
      </Badge>
    ),
  },
  { key: 'reason', header: T.reason, cell: ({ reason }) => reason && recordText(reason) },
  {
    key: 'attempts',
    header: T.attempts,
    align: 'right',
    isSecondary: true,
    cell: ({ attempts }) => attempts,
  },
];

/** What the providers have reported, and what became of it. */
export default function CallbacksPage() {
  const [url, setUrl, addressAfter] = useUrlState({ status: 'all', provider: '', from: '', page: '1' });
  const status = TABS.find((tab) => tab === url.status) ?? 'all';
  const query = {
    ...{ status, limit: PAGE_ROWS, page: pageOf(url.page) },
    ...(url.provider ? { provider: url.provider } : {}),
    ...(url.from ? { receivedAfter: url.from } : {}),
  };
  const { data, error, refetch } = useRead(
    'GET /api/admin/webhook-events',
    { query },
    { keepPrevious: true },
  );
  return (
    <>
      <PageHead title={T.title} />
      <Tabs
        label={T.title}
        tabs={TABS.map((id) => ({ id, title: STATUS[id] }))}
        selected={status}
        hrefOf={(id) => addressAfter({ status: id })}
      />
      <Group my="sm" align="end">
        <FilterField
          isFirst
          label={T.provider}
          value={url.provider}
          onChange={(provider) => setUrl({ provider }, true)}
        />
        <FilterField
          type="date"
          label={T.receivedAfter}
          value={url.from}
          onChange={(from) => setUrl({ from }, true)}
        />
        <SavedViews list="callbacks" />
      </Group>
      <DataTable<Callback>
        caption={`${T.title}: ${STATUS[status]}`}
        rows={data?.data}
        columns={COLUMNS}
        idOf={({ id }) => id}
        hrefOf={({ id }) => `/callbacks/${id}`}
        empty={T.empty}
        error={data ? undefined : error}
        retry={() => void refetch()}
        {...paginationOf(data?.pagination, setUrl)}
      />
      <Shortcuts isList />
    </>
  );
}
