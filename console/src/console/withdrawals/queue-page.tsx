import { Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWaitingApprovals } from '../../api/approvals.ts';
import { api } from '../../api/client.ts';
import { useQueues } from '../../api/queues.ts';
import {
  useWithdrawals,
  type QueuedWithdrawal,
  type Status,
  type Withdrawal,
} from '../../api/withdrawals.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { formatMoney } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { focusedRow, Shortcuts } from '../../ui/list-keys.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { pageOf, paginationOf } from '../../ui/pages.ts';
import { SavedViews } from '../../ui/saved-views.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Age, Money } from '../../ui/values.tsx';
import { useAdmin, usePermits } from '../session.ts';
import { actionsOf } from './actions.ts';
import { BatchTools, hasBatches } from './batch-tools.tsx';
import { columnsOf } from './queue-columns.tsx';
import { BLOCKED, STATUS } from './texts.ts';
import { useWithdrawalActions } from './use-actions.tsx';

const T = inLanguage({
  title: ['Withdrawals', 'Auszahlungen'],
  empty: ['No withdrawal is waiting here.', 'Hier wartet keine Auszahlung.'],
  emptyEnded: ['No withdrawal is here.', 'Hier ist keine Auszahlung.'],
  emptyFilter: ['No row matches the filter.', 'Keine Zeile passt zum Filter.'],
  filter: ['Filter this page', 'Diese Seite filtern'],
  filterMeaning: ['E-mail, address or id', 'E-Mail, Adresse oder Id'],
  minAmount: ['From amount', 'Ab Betrag'],
  oldest: ['Oldest', 'Älteste'],
  sum: ['Sum', 'Summe'],
  act: ['Do the next step of the row', 'Nächsten Schritt der Zeile tun'],
});

const TABS: readonly Status[] = [
  'pending',
  'approved',
  'processing',
  'failed',
  'completed',
  'rejected',
  'all',
];
const DEFAULTS = { tab: 'pending', sort: 'createdAt', order: '', page: '1', q: '', min: '' };

type Row = Withdrawal | QueuedWithdrawal;

/** The queue of one status; the tab, the filters, the sort and the page are in the address. */
export default function QueuePage() {
  const [url, setUrl, addressAfter] = useUrlState(DEFAULTS);
  const status = (TABS as readonly string[]).includes(url.tab) ? (url.tab as Status) : 'pending';
  const isPending = status === 'pending';
  const order = url.order || (isPending || status === 'approved' || status === 'processing' ? 'asc' : 'desc');
  const amountFilter = /^\d+(\.\d+)?$/.test(url.min) ? { minAmount: url.min } : {};
  const page = pageOf(url.page);
  const query = {
    sortBy: url.sort === 'amount' ? 'amount' : url.sort === 'completedAt' ? 'completedAt' : 'createdAt',
    orderBy: order === 'desc' ? 'desc' : 'asc',
    ...amountFilter,
  } as const;
  const list = useWithdrawals(status, { page, ...query });
  const counts: Partial<Record<Status, { count: number }>> = useQueues()?.withdrawals ?? {};
  const admin = useAdmin();
  const showsMine = status === 'processing' && page === 1;
  const mine = useWithdrawals('processing', { takenBy: admin.email, page, ...query }, showsMine);
  const mayApprove = usePermits('withdrawals:approve');
  const waiting = useWaitingApprovals('withdrawal');
  const { run, dialog, runningId } = useWithdrawalActions();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());

  const first = showsMine ? (mine.data?.data ?? (mine.error ? [] : undefined)) : [];
  const all = first && list.data && mineFirst(first, list.data.data);
  const rows = all?.filter((row) => matches(row, url.q));
  const isSelectable = mayApprove && hasBatches(status);
  const nextOf = (row: Row) =>
    actionsOf(row, { mayApprove, mayReturn: false, approval: waiting.of(row.id) })[0];
  const actOnFocused = () => {
    const row = rows?.find(({ id }) => id === focusedRow());
    const next = row && nextOf(row);
    if (next && !next.blocked) run(next.name, row);
  };
  const summary = list.data && 'totalPendingValue' in list.data.summary ? list.data.summary : undefined;
  return (
    <>
      <PageHead title={T.title}>{isPending && summary && <QueueFigures {...summary} />}</PageHead>
      <Tabs
        label={T.title}
        tabs={TABS.map((tab) => ({ id: tab, title: STATUS[tab], count: counts[tab]?.count }))}
        selected={status}
        hrefOf={(tab) => addressAfter({ tab, sort: '', order: '' })}
      />
      <Group my="sm" align="end">
        <TextInput
          data-filter
          size="xs"
          label={T.filter}
          placeholder={T.filterMeaning}
          value={url.q}
          onChange={(event) => setUrl({ q: event.currentTarget.value }, true)}
        />
        <TextInput
          size="xs"
          label={T.minAmount}
          inputMode="decimal"
          value={url.min}
          onChange={(event) => setUrl({ min: event.currentTarget.value }, true)}
        />
        <ExportButton
          file={`withdrawals-${status}.csv`}
          read={() =>
            api.call('GET /api/admin/withdrawals', { query: { status, format: 'csv', ...amountFilter } })
          }
        />
        <SavedViews list="withdrawals" />
        {isSelectable && (
          <BatchTools
            status={status}
            selected={(rows ?? []).filter(({ id }) => selected.has(id))}
            onChanged={(ids) =>
              setSelected((before) => new Set([...before].filter((id) => !ids.includes(id))))
            }
          />
        )}
      </Group>
      {waiting.error && (
        <Text size="sm" mb="sm" role="status">
          {BLOCKED.unknown}
        </Text>
      )}
      <DataTable<Row>
        caption={`${T.title}: ${STATUS[status]}`}
        rows={rows}
        columns={columnsOf({ status, me: admin.email, waiting, nextOf, run, runningId })}
        idOf={({ id }) => id}
        nameOf={({ userEmail, amount }) => `${userEmail}, ${formatMoney(amount)}`}
        hrefOf={({ id }) => `/withdrawals/${id}`}
        empty={url.q && all?.length ? T.emptyFilter : counts[status] ? T.empty : T.emptyEnded}
        error={list.data ? undefined : list.error}
        retry={() => void list.refetch()}
        sort={{ by: url.sort, order, onChange: (sort, newOrder) => setUrl({ sort, order: newOrder }) }}
        {...(isSelectable ? { selection: { ids: selected, onChange: setSelected } } : {})}
        {...paginationOf(list.data?.pagination, setUrl)}
      />
      <Shortcuts isList own={[['t', T.act, actOnFocused]]} />
      {dialog}
    </>
  );
}

/** The rows of the whole queue that the admin has taken, followed by the other rows of the page. */
function mineFirst(mine: readonly Row[], rows: readonly Row[]): readonly Row[] {
  const ids = new Set(mine.map(({ id }) => id));
  return [...mine, ...rows.filter(({ id }) => !ids.has(id))];
}

function matches({ id, userEmail, destinationAddress }: Row, filter: string): boolean {
  return `${id} ${userEmail} ${destinationAddress}`.toLowerCase().includes(filter.trim().toLowerCase());
}

function QueueFigures(summary: { totalPendingValue: string; oldestPending: string | null }) {
  return (
    <Group gap="md">
      <Text size="sm">
        {T.sum} <Money amount={summary.totalPendingValue} currency="USDC" />
      </Text>
      {summary.oldestPending && (
        <Text size="sm" component="span">
          {T.oldest} <Age since={summary.oldestPending} />
        </Text>
      )}
    </Group>
  );
}
