import type { Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { inLanguage } from '../../ui/language.ts';
import { CLASS, OWNER, T } from './texts.ts';

const TITLE = inLanguage({ accounts: ['Accounts', 'Konten'] });

type Account = Answer<'GET /api/admin/books/accounts'>['data'][number];

const COLUMNS: readonly Column<Account>[] = [
  { key: 'kind', header: T.kind, cell: ({ kind }) => kind },
  { key: 'scope', header: T.scope, cell: ({ scope }) => scope },
  { key: 'asset', header: T.asset, cell: ({ asset }) => asset },
  { key: 'class', header: T.class, cell: (account) => CLASS[account.class] },
  { key: 'owner', header: T.owner, isSecondary: true, cell: ({ owner }) => OWNER[owner] },
];

export function Accounts() {
  const { data, error, refetch } = useRead('GET /api/admin/books/accounts');
  return (
    <DataTable<Account>
      caption={TITLE.accounts}
      rows={data?.data}
      columns={COLUMNS}
      idOf={({ id }) => id}
      hrefOf={({ id }) => `/books/${encodeURIComponent(id)}`}
      empty={T.none}
      error={data ? undefined : error}
      retry={() => void refetch()}
    />
  );
}
