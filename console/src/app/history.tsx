import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useSearchParams } from 'react-router';
import type { TransactionResponse } from 'stablecoin-platform-client/routes';
import { api, type RequestOf } from '../api/client.ts';
import { useRead } from '../api/use-read.ts';
import { inLanguage } from '../ui/language.ts';
import { WrittenLanguage } from './account/written-language.tsx';
import { ActionOutcome } from './action-panel.tsx';
import styles from './app.module.css';
import { useAction } from './intent.ts';
import { Pager } from './pager.tsx';
import { Card, Loaded, Page } from './parts.tsx';
import { saveFile } from '../ui/save-file.ts';
import { TRANSACTION_STATUS, TRANSACTION_TYPE } from './statuses.ts';
import { TransactionTable } from './transaction-table.tsx';

const T = inLanguage({
  title: ['History', 'Verlauf'],
  lead: [
    'Every transaction of your account, the newest first.',
    'Jede Buchung Ihres Kontos, die neueste zuerst.',
  ],
  kind: ['Kind', 'Art'],
  state: ['State', 'Stand'],
  all: ['all', 'alle'],
  from: ['From (UTC day)', 'Von (UTC-Tag)'],
  to: ['To (UTC day)', 'Bis (UTC-Tag)'],
  reset: ['Clear filters', 'Filter löschen'],
  statement: ['Statement of account', 'Kontoauszug'],
  statementText: [
    'Every movement of the days above; without days, of the current month. The journal is for hledger and Ledger.',
    'Jede Bewegung der Tage oben; ohne Tage die des laufenden Monats. Das Journal ist für hledger und Ledger.',
  ],
  format: ['Format', 'Format'],
  csv: ['CSV, for a spreadsheet', 'CSV, für eine Tabelle'],
  journal: ['Journal, for hledger', 'Journal, für hledger'],
  json: ['JSON', 'JSON'],
  download: ['Download statement', 'Auszug herunterladen'],
  saved: [(name: string) => `Saved as ${name}.`, (name: string) => `Gespeichert als ${name}.`],
});

type ListQuery = NonNullable<RequestOf<'GET /api/user/transactions'>['query']>;
const FILTERS = ['type', 'status', 'startDate', 'endDate'] as const;

export default function History() {
  const [search, setSearch] = useSearchParams();
  const filters = Object.fromEntries(
    FILTERS.flatMap((name) => (search.get(name) ? [[name, search.get(name)]] : [])),
  ) as Partial<Record<(typeof FILTERS)[number], string>>;
  const page = Math.max(1, Math.trunc(Number(search.get('page') ?? 1)) || 1);
  const query = useRead(
    'GET /api/user/transactions',
    { query: { ...filters, page, limit: 20 } as ListQuery },
    { keepPrevious: true },
  );
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(search);
    if (value) next.set(name, value);
    else next.delete(name);
    if (name !== 'page') next.delete('page');
    setSearch(next);
  };
  return (
    <Page title={T.title} lead={T.lead}>
      <WrittenLanguage />
      <Card>
        <div className={styles.row}>
          <NativeSelect
            label={T.kind}
            value={filters.type ?? ''}
            onChange={(event) => set('type', event.currentTarget.value)}
            data={optionsOf(TRANSACTION_TYPE)}
          />
          <NativeSelect
            label={T.state}
            value={filters.status ?? ''}
            onChange={(event) => set('status', event.currentTarget.value)}
            data={optionsOf(TRANSACTION_STATUS)}
          />
          <DayInput label={T.from} value={filters.startDate} onDay={(day) => set('startDate', day)} />
          <DayInput label={T.to} value={filters.endDate} onDay={(day) => set('endDate', day)} />
          {Object.keys(filters).length > 0 && (
            <Button variant="subtle" onClick={() => setSearch({})}>
              {T.reset}
            </Button>
          )}
        </div>
      </Card>
      <Card>
        <Loaded query={query}>
          {(answer) => {
            const { data, pagination } = answer as {
              data: TransactionResponse[];
              pagination: Parameters<typeof Pager>[0]['pagination'];
            };
            return (
              <>
                <TransactionTable rows={data} />
                <Pager pagination={pagination} onPage={(next) => set('page', String(next))} />
              </>
            );
          }}
        </Loaded>
      </Card>
      <Statement from={filters.startDate} to={filters.endDate} />
    </Page>
  );
}

const optionsOf = (names: Record<string, string>) => [
  { value: '', label: T.all },
  ...Object.entries(names).map(([value, label]) => ({ value, label })),
];

interface DayInputProps {
  label: string;
  value: string | undefined;
  onDay: (day: string) => void;
}

const DayInput = ({ label, value = '', onDay }: DayInputProps) => (
  <TextInput type="date" label={label} value={value} onChange={(event) => onDay(event.currentTarget.value)} />
);

/** Fetched with the session and saved, because a link would send no X-CSRF-Token. */
function Statement({ from, to }: { from: string | undefined; to: string | undefined }) {
  const [format, setFormat] = useState<'csv' | 'journal' | 'json'>('csv');
  const action = useAction<string>(undefined, 'reads');
  const download = (event: FormEvent) => {
    event.preventDefault();
    void action.run({ from, to, format }, async () => {
      const answer = await api.call('GET /api/user/statement', { query: { from, to, format } });
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer.data, undefined, 2);
      const name = ['statement', from, to].filter(Boolean).join('-') + `.${format}`;
      saveFile(name, text);
      return name;
    });
  };
  return (
    <Card title={T.statement}>
      <p className={styles.hint}>{T.statementText}</p>
      <form className={styles.row} onSubmit={download}>
        <NativeSelect
          label={T.format}
          value={format}
          onChange={(event) => setFormat(event.currentTarget.value as typeof format)}
          data={(['csv', 'journal', 'json'] as const).map((value) => ({ value, label: T[value] }))}
        />
        <Button type="submit" loading={action.state.status === 'running'}>
          {T.download}
        </Button>
      </form>
      <ActionOutcome action={action}>{(name) => T.saved(name)}</ActionOutcome>
    </Card>
  );
}
