import { Badge, Group, NativeSelect, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from 'react-router';
import { api, type Answer } from '../../api/client.ts';
import { REFRESH_MS } from '../../api/queries.ts';
import { Pages } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { formatCount, formatDay } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { choiceOf } from '../../ui/list-page.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { pageOf } from '../../ui/pages.ts';
import { Section } from '../../ui/section.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Moment, Money } from '../../ui/values.tsx';
import { ReconciliationLine } from './reconciliation-line.tsx';
import { BREAK, DIRECTION, OUTCOME, SOURCE, STATUS, STATUS_COLOURS } from './texts.ts';

const T = inLanguage({
  list: ['Reconciliation', 'Abgleich'],
  title: [
    (source: string, days: string) => `${source}, ${days}`,
    (source: string, days: string) => `${source}, ${days}`,
  ],
  counts: ['Lines', 'Zeilen'],
  sums: ['Sums', 'Summen'],
  compared: ['Compared', 'Verglichen'],
  lines: ['In the statement', 'Im Auszug'],
  unreadable: ['Unreadable', 'Unlesbar'],
  chainUnread: ['Chain not read', 'Chain nicht gelesen'],
  unresolved: ['Open breaks', 'Offene Abweichungen'],
  alerts: ['Open alerts about this provider', 'Offene Warnungen zu diesem Anbieter'],
  difference: ['Difference', 'Differenz'],
  sum: [
    (currency: string, direction: string) => `${currency} ${direction}`,
    (currency: string, direction: string) => `${currency} ${direction}`,
  ],
  statement: ['statement', 'Auszug'],
  records: ['records', 'Aufzeichnungen'],
  breaks: ['Breaks', 'Abweichungen'],
  outcome: ['Lines that', 'Zeilen, die'],
  anyOutcome: ['All', 'Alle'],
  empty: ['No line is here.', 'Hier ist keine Zeile.'],
});

type Run = Answer<'GET /api/admin/reconciliations/{id}'>['data'];
const PAGE_ROWS = 20;
const OUTCOMES = { all: T.anyOutcome, ...OUTCOME };

/** One comparison: the statement and the records side by side, and the resolution of the breaks. */
export default function ReconciliationPage() {
  const { id = '' } = useParams();
  const { from = '' } = (useLocation().state ?? {}) as { from?: string };
  const [url, setUrl, addressAfter] = useUrlState({ status: 'open', outcome: 'all', page: '1' });
  const status = choiceOf(BREAK, url.status);
  const outcome = choiceOf(OUTCOMES, url.outcome);
  const run = useQuery({
    queryKey: ['reconciliations', 'one', id],
    queryFn: async () => (await api.call('GET /api/admin/reconciliations/{id}', { path: { id } })).data,
  });
  const query = {
    ...{ limit: PAGE_ROWS, page: pageOf(url.page) },
    ...(status === 'all' ? {} : { status }),
    ...(outcome === 'all' ? {} : { outcome }),
  };
  const lines = useQuery({
    queryKey: ['reconciliations', 'lines', id, query],
    queryFn: ({ signal }) =>
      api.call('GET /api/admin/reconciliations/{id}/lines', { path: { id }, query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
  const error = run.error ?? lines.error;
  if (!run.data) return error ? <Failure error={error} retry={() => void run.refetch()} /> : null;
  const { source, from: first, to } = run.data;
  const days = first === to ? formatDay(first) : `${formatDay(first)} – ${formatDay(to)}`;
  return (
    <>
      <Link to={`/reconciliation${from}`}>← {T.list}</Link>
      <PageHead title={T.title(SOURCE[source], days)}>
        <Badge variant="light" color={STATUS_COLOURS[run.data.status]}>
          {STATUS[run.data.status]}
        </Badge>
      </PageHead>
      <div className="columns gap-below">
        <Counts run={run.data} />
        <Sums run={run.data} />
      </div>
      <Tabs
        label={T.breaks}
        tabs={(Object.keys(BREAK) as (keyof typeof BREAK)[]).map((tab) => ({ id: tab, title: BREAK[tab] }))}
        selected={status}
        hrefOf={(tab) => addressAfter({ status: tab })}
      />
      <Group my="sm">
        <NativeSelect
          size="xs"
          label={T.outcome}
          value={outcome}
          data={Object.entries(OUTCOMES).map(([value, label]) => ({ value, label }))}
          onChange={(event) => setUrl({ outcome: event.currentTarget.value })}
        />
      </Group>
      {lines.error && !lines.data && <Failure error={lines.error} retry={() => void lines.refetch()} />}
      {lines.data?.data.length === 0 && <div className="empty">{T.empty}</div>}
      {lines.data?.data.map((line) => (
        <ReconciliationLine key={line.id} line={line} reconciliationId={id} />
      ))}
      {lines.data && lines.data.pagination.totalPages > 1 && (
        <Pages
          page={query.page}
          pages={lines.data.pagination.totalPages}
          total={lines.data.pagination.total}
          onPage={(page) => setUrl({ page: String(page) })}
        />
      )}
    </>
  );
}

function Counts({ run }: { run: Run }) {
  const { alerts } = run;
  return (
    <Section title={T.counts}>
      <Facts
        of={[
          [
            T.compared,
            <span key="compared">
              <Moment at={run.at} />, {run.by}
            </span>,
          ],
          [T.lines, formatCount(run.lines)],
          [OUTCOME.matched, formatCount(run.matched)],
          [OUTCOME['missing-here'], formatCount(run.missingHere)],
          [OUTCOME['missing-there'], formatCount(run.missingThere)],
          [OUTCOME.differing, formatCount(run.differing)],
          [T.unreadable, run.unreadable > 0 && formatCount(run.unreadable)],
          [T.chainUnread, run.chainUnread > 0 && formatCount(run.chainUnread)],
          [T.unresolved, formatCount(run.unresolved)],
          [
            T.alerts,
            alerts.length > 0 && (
              <Link key="alerts" to="/alerts">
                {formatCount(alerts.length)}
              </Link>
            ),
          ],
        ]}
      />
    </Section>
  );
}

function Sums({ run: { sums } }: { run: Run }) {
  return (
    <Section title={T.sums}>
      <Facts
        of={sums.map(({ currency, direction, there, here, difference }) => [
          T.sum(currency, DIRECTION[direction]),
          <div key={`${currency} ${direction}`}>
            <Text size="sm" component="div">
              {T.statement} <Money amount={there} currency={currency} isExact />
            </Text>
            <Text size="sm" component="div">
              {T.records} <Money amount={here} currency={currency} isExact />
            </Text>
            <strong>
              {T.difference} <Money amount={difference} currency={currency} isExact />
            </strong>
          </div>,
        ])}
      />
    </Section>
  );
}
