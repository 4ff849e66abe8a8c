import type { Answer } from '../../api/client.ts';
import { useRead } from '../../api/use-read.ts';
import { DataTable, type Column } from '../../ui/data-table.tsx';
import { isPositive } from '../../ui/decimal.ts';
import { Failure } from '../../ui/failure.tsx';
import { inLanguage } from '../../ui/language.ts';
import { Money } from '../../ui/values.tsx';
import { CLASS, OWNER, T } from './texts.ts';

const TITLE = inLanguage({
  accounts: ['Accounts', 'Konten'],
  balance: ['Balance now', 'Saldo jetzt'],
});

type Balance = Answer<'GET /api/admin/books/trial-balance'>['data']['accounts'][number];
/** `balance` is undefined until it is read, and null for an account that the trial balance leaves out. */
type Account = Answer<'GET /api/admin/books/accounts'>['data'][number] & { balance?: Balance | null };

const COLUMNS: readonly Column<Account>[] = [
  { key: 'kind', header: T.kind, cell: ({ kind }) => kind },
  { key: 'scope', header: T.scope, cell: ({ scope }) => scope },
  { key: 'asset', header: T.asset, cell: ({ asset }) => asset },
  {
    ...{ key: 'balance', header: TITLE.balance, align: 'right' },
    cell: ({ balance, asset }) => balance !== undefined && <BalanceText of={balance} asset={asset} />,
  },
  { key: 'class', header: T.class, isSecondary: true, cell: (account) => CLASS[account.class] },
  { key: 'owner', header: T.owner, isSecondary: true, cell: ({ owner }) => OWNER[owner] },
];

const BALANCES_STALE_MS = 60_000; // the service sums all entries to answer the balances

/** The accounts with their balances at present, which are those of the trial balance of today. */
export function Accounts() {
  const { data, error, refetch } = useRead('GET /api/admin/books/accounts');
  const today = useRead('GET /api/admin/books/trial-balance', undefined, { staleTime: BALANCES_STALE_MS });
  const balances = today.data && new Map(today.data.data.accounts.map((account) => [account.id, account]));
  return (
    <>
      {today.error && !today.data && <Failure error={today.error} retry={() => void today.refetch()} />}
      <DataTable<Account>
        caption={TITLE.accounts}
        rows={data?.data.map((account) =>
          balances ? { ...account, balance: balances.get(account.id) ?? null } : account,
        )}
        columns={COLUMNS}
        idOf={({ id }) => id}
        hrefOf={({ id }) => `/books/${encodeURIComponent(id)}`}
        empty={T.none}
        error={data ? undefined : error}
        retry={() => void refetch()}
      />
    </>
  );
}

function BalanceText({ of, asset }: { of: Balance | null; asset: string }) {
  if (!of) return <Money amount="0.00" hoverCurrency={asset} isExact />;
  const [side, amount] = isPositive(of.credit) ? [T.credit, of.credit] : [T.debit, of.debit];
  return (
    <>
      <Money amount={amount} hoverCurrency={asset} isExact /> {isPositive(amount) && side}
    </>
  );
}
