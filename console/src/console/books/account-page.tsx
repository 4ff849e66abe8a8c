import { Group } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { api, type Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { inLanguage } from '../../ui/language.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { pageOf, paginationOf } from '../../ui/pages.ts';
import { Section } from '../../ui/section.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { Moment, Money, Shortened } from '../../ui/values.tsx';
import { codeName, recordText } from '../record-names.ts';
import { Exports } from './exports.tsx';
import { CLASS, OWNER, T } from './texts.ts';

const TEXT = inLanguage({
  books: ['Books', 'Bücher'],
  account: ['Account', 'Konto'],
  entries: ['Entries', 'Buchungen'],
  empty: ['No entry in these days.', 'Keine Buchung in diesen Tagen.'],
  at: ['At', 'Zeit'],
  posting: ['Posting', 'Vorgang'],
  text: ['Text', 'Text'],
  amount: ['Amount (credits are negative)', 'Betrag (Haben ist negativ)'],
  balance: ['Balance', 'Saldo'],
  opening: ['Balance before the first day', 'Saldo vor dem ersten Tag'],
  closing: ['Balance after the last day', 'Saldo nach dem letzten Tag'],
});

const ROUTE = 'GET /api/admin/books/accounts/{id}/entries';
type Entry = Answer<typeof ROUTE>['data']['entries'][number];
const PAGE_ROWS = 50;

const columnsOf = (asset: string): readonly Column<Entry>[] => [
  { key: 'at', header: TEXT.at, cell: ({ at }) => <Moment at={at} /> },
  { key: 'text', header: TEXT.text, cell: ({ description }) => recordText(description) },
  {
    ...{ key: 'posting', header: TEXT.posting, isSecondary: true },
    cell: ({ posting: { type, referenceId } }) => (
      <>
        {codeName(type)} <Shortened value={referenceId} />
      </>
    ),
  },
  {
    key: 'amount',
    header: TEXT.amount,
    align: 'right',
    cell: ({ amount }) => <Money amount={amount} hoverCurrency={asset} isExact />,
  },
  {
    key: 'balance',
    header: TEXT.balance,
    align: 'right',
    cell: ({ balance }) => <Money amount={balance} hoverCurrency={asset} isExact />,
  },
];

/** The entries of an account with the balance after each. */
export default function AccountPage() {
  const { id = '' } = useParams();
  const [url, setUrl] = useUrlState({ from: '', to: '', page: '1' });
  const range = { ...(url.from ? { startDate: url.from } : {}), ...(url.to ? { endDate: url.to } : {}) };
  const query = { ...range, page: pageOf(url.page), limit: PAGE_ROWS };
  const { data, error, refetch } = useRead(ROUTE, { path: { id }, query }, { keepPrevious: true });
  if (!data) return error ? <Failure error={error} retry={() => void refetch()} /> : null;
  const { account, period, opening, closing, entries } = data.data;
  return (
    <>
      <Link to="/books">← {TEXT.books}</Link>
      <PageHead title={[account.kind, account.scope, account.asset].filter(Boolean).join(' · ')} />
      <Group align="end" mb="md">
        <FilterField
          type="date"
          label={T.from}
          value={url.from || period.startDate}
          onChange={(from) => setUrl({ from })}
        />
        <FilterField
          type="date"
          label={T.to}
          value={url.to || period.endDate}
          onChange={(to) => setUrl({ to })}
        />
        <Exports
          name={`account-${id}`}
          read={(format) => api.call(ROUTE, { path: { id }, query: { ...range, format } })}
        />
      </Group>
      <Section title={TEXT.account}>
        <Facts
          of={[
            [T.class, CLASS[account.class]],
            [T.owner, OWNER[account.owner]],
            [TEXT.opening, <Money key="opening" amount={opening} currency={account.asset} isExact />],
            [TEXT.closing, <Money key="closing" amount={closing} currency={account.asset} isExact />],
          ]}
        />
      </Section>
      <Section title={TEXT.entries}>
        <DataTable<Entry>
          caption={TEXT.entries}
          rows={entries}
          columns={columnsOf(account.asset)}
          idOf={({ at, posting, amount, balance }) => [at, posting.id, amount, balance].join(' ')}
          empty={TEXT.empty}
          {...paginationOf(data.pagination, setUrl)}
        />
      </Section>
    </>
  );
}
