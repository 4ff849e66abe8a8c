import { Badge } from '@mantine/core';
import { api, type Answer, type RequestOf } from '../../api/client.ts';
import type { Column } from '../../ui/data-table.tsx';
import { formatCount, formatDay } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { ListPage } from '../../ui/list-page.tsx';
import { Moment } from '../../ui/values.tsx';
import { Actions, type DeskAction } from '../desk/actions.tsx';
import { usePermits } from '../session.ts';
import { SOURCE, STATUS, STATUS_COLOURS } from './texts.ts';

const T = inLanguage({
  title: ['Reconciliation', 'Abgleich'],
  provider: ['Provider', 'Anbieter'],
  days: ['Days', 'Tage'],
  state: ['State', 'Zustand'],
  lines: ['Lines', 'Zeilen'],
  matched: ['Agree', 'Stimmen überein'],
  unresolved: ['Open breaks', 'Offene Abweichungen'],
  by: ['By', 'Von'],
  at: ['Compared', 'Verglichen'],
  empty: ['Nothing has been compared yet.', 'Es wurde noch nichts verglichen.'],
  compare: ['Compare', 'Vergleichen'],
  effect: [
    'The statement of the provider is compared with the ledger and the chain; nothing is booked.',
    'Der Auszug des Anbieters wird mit dem Hauptbuch und der Chain verglichen; gebucht wird nichts.',
  ],
  done: ['Compared and without a break', 'Verglichen und ohne Abweichung'],
  breaks: [
    (count: string) => `Compared. Breaks to resolve: ${count}`,
    (count: string) => `Verglichen. Abweichungen aufzulösen: ${count}`,
  ],
  from: ['First day (UTC)', 'Erster Tag (UTC)'],
  to: ['Last day (UTC)', 'Letzter Tag (UTC)'],
  statement: ['Statement', 'Auszug'],
  csv: ['Statement as CSV', 'Auszug als CSV'],
  csvMeaning: [
    'With a header: reference, txHash, amount, currency, network, direction, date, status; txHash, network and status may be absent.',
    'Mit Kopfzeile: reference, txHash, amount, currency, network, direction, date, status; txHash, network und status dürfen fehlen.',
  ],
});

const FORMATS = inLanguage({
  csv: ['A file', 'Eine Datei'],
  provider: ['The list of the deposit provider', 'Die Liste des Einzahlungsanbieters'],
});

type Given = Answer<'GET /api/admin/reconciliations'>;
type Run = Given['data'][number];

const COLUMNS: readonly Column<Run>[] = [
  { key: 'source', header: T.provider, cell: ({ source }) => SOURCE[source] },
  {
    key: 'days',
    header: T.days,
    cell: ({ from, to }) => (from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`),
  },
  {
    ...{ key: 'state', header: T.state },
    cell: ({ status }) => (
      <Badge variant="light" color={STATUS_COLOURS[status]}>
        {STATUS[status]}
      </Badge>
    ),
  },
  {
    key: 'lines',
    header: T.lines,
    align: 'right',
    isSecondary: true,
    cell: ({ lines }) => formatCount(lines),
  },
  {
    key: 'matched',
    header: T.matched,
    align: 'right',
    isSecondary: true,
    cell: ({ matched }) => formatCount(matched),
  },
  {
    key: 'unresolved',
    header: T.unresolved,
    align: 'right',
    cell: ({ unresolved }) => formatCount(unresolved),
  },
  { key: 'by', header: T.by, isSecondary: true, cell: ({ by }) => by },
  { key: 'at', header: T.at, cell: ({ at }) => <Moment at={at} /> },
];

type Body = RequestOf<'POST /api/admin/reconciliations'>['body'];

const compare: DeskAction = {
  ...{ name: 'compare', label: T.compare, effect: T.effect, done: T.done },
  fields: ({ format, source }) => [
    { name: 'source', label: T.provider, kind: 'choice', choices: SOURCE },
    { name: 'from', label: T.from, kind: 'date' },
    { name: 'to', label: T.to, kind: 'date' },
    ...(source === 'deposit-provider'
      ? [{ name: 'format', label: T.statement, kind: 'choice', choices: FORMATS } as const]
      : []),
    ...(source === 'deposit-provider' && format === 'provider'
      ? []
      : [{ name: 'csv', label: T.csv, description: T.csvMeaning, kind: 'file' } as const]),
  ],
  // Without the Idempotency-Key: the route is not idempotent, and rejects a statement that was compared before.
  send: async ({ format = 'csv', ...values }) => {
    const body = { format, ...values } as Body;
    const { data } = await api.call('POST /api/admin/reconciliations', { body });
    return data.unresolved > 0
      ? { color: 'yellow', message: T.breaks(formatCount(data.unresolved)) }
      : undefined;
  },
};

/** Comparisons of the providers' statements with the ledger. */
export default function ReconciliationsPage() {
  const mayWrite = usePermits('transactions:write');
  return (
    <ListPage<Run, Given, never>
      list="reconciliations"
      title={T.title}
      defaults={{}}
      columns={() => COLUMNS}
      hrefOf={({ id }) => `/reconciliation/${id}`}
      empty={T.empty}
      read={(_, page, signal) => api.call('GET /api/admin/reconciliations', { query: page, signal })}
      tools={mayWrite && <Actions isCompact actions={[compare]} areas={['reconciliations', 'alerts']} />}
    />
  );
}
