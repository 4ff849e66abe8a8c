import { Group } from '@mantine/core';
import { api, type Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { formatDay } from '../../ui/format.ts';
import { inLanguage } from '../../ui/language.ts';
import { Section } from '../../ui/section.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Money } from '../../ui/values.tsx';
import { Exports } from './exports.tsx';
import { T } from './texts.ts';

const TITLE = inLanguage({
  balance: [(day: string) => `Trial balance of ${day}`, (day: string) => `Saldenliste des ${day}`],
  totals: ['Sums: debits equal credits', 'Summen: Soll gleich Haben'],
});

type Answered = Answer<'GET /api/admin/books/trial-balance'>['data'];
type Account = Answered['accounts'][number];
type Total = Answered['totals'][number];

const AMOUNTS = [
  {
    key: 'debit',
    header: T.debit,
    align: 'right',
    cell: ({ debit, asset }) => <Money amount={debit} hoverCurrency={asset} isExact />,
  },
  {
    key: 'credit',
    header: T.credit,
    align: 'right',
    cell: ({ credit, asset }) => <Money amount={credit} hoverCurrency={asset} isExact />,
  },
] as const satisfies readonly Column<Total>[];
const COLUMNS: readonly Column<Account>[] = [
  { key: 'kind', header: T.kind, cell: ({ kind }) => kind },
  { key: 'scope', header: T.scope, cell: ({ scope }) => scope },
  { key: 'asset', header: T.asset, cell: ({ asset }) => asset },
  ...AMOUNTS,
];
const TOTAL_COLUMNS: readonly Column<Total>[] = [
  { key: 'asset', header: T.asset, cell: ({ asset }) => asset },
  ...AMOUNTS,
];

export function TrialBalance() {
  const [url, setUrl] = useUrlState({ tab: 'accounts', date: '', page: '1' });
  const query = url.date ? { date: url.date } : {};
  const { data, error, refetch } = useRead(
    'GET /api/admin/books/trial-balance',
    { query },
    { keepPrevious: true },
  );
  const balance = data?.data;
  return (
    <>
      <Group align="end" mb="md">
        <FilterField
          type="date"
          label={T.date}
          value={url.date || (balance?.date ?? '')}
          onChange={(date) => setUrl({ date })}
        />
        <Exports
          name={`trial-balance-${balance?.date ?? ''}`}
          read={(format) => api.call('GET /api/admin/books/trial-balance', { query: { ...query, format } })}
        />
      </Group>
      <Section title={TITLE.balance(balance ? formatDay(balance.date) : '')}>
        <DataTable<Account>
          caption={TITLE.balance(balance?.date ?? '')}
          rows={balance?.accounts}
          columns={COLUMNS}
          idOf={({ id }) => id}
          hrefOf={({ id }) => `/books/${encodeURIComponent(id)}`}
          empty={T.none}
          error={data ? undefined : error}
          retry={() => void refetch()}
        />
      </Section>
      {balance && balance.totals.length > 0 && (
        <Section title={TITLE.totals}>
          <DataTable<Total>
            caption={TITLE.totals}
            rows={balance.totals}
            columns={TOTAL_COLUMNS}
            idOf={({ asset }) => asset}
            empty={T.none}
          />
        </Section>
      )}
    </>
  );
}
