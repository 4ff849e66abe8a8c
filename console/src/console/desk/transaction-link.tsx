import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../../api/client.ts';
import { inLanguage } from '../../ui/language.ts';
import { usePermits } from '../session.ts';

const T = inLanguage({ show: ['show', 'anzeigen'] });

interface RecordOfUser {
  type: 'deposit' | 'withdrawal' | 'investment';
  id: string;
  userId: string;
  createdAt: string;
}

const SECOND_MS = 1000;
const MAX_ROWS = 20;

/** Finds the transaction of the record among those within a second of it: only the transaction names the record, not the reverse. */
async function findTransaction({ type, id, userId, createdAt }: RecordOfUser): Promise<string | null> {
  const near = (difference: number) => new Date(Date.parse(createdAt) + difference).toISOString();
  const query = {
    ...{ userId, type, limit: MAX_ROWS },
    ...{ createdAfter: near(-SECOND_MS), createdBefore: near(SECOND_MS) },
  };
  const { transactions } = (await api.call('GET /api/admin/transactions', { query })).data;
  return transactions.find(({ record }) => record?.type === type && record.id === id)?.id ?? null;
}

/** The link from a record to its transaction, for admins who may read transactions. An investment opened by a move has no transaction. */
export function useTransactionLink(record: RecordOfUser) {
  const mayRead = usePermits('transactions:read');
  const { data } = useQuery({
    queryKey: ['transactions', 'of', record.type, record.id],
    queryFn: () => findTransaction(record),
    enabled: mayRead,
    staleTime: ({ state }) => (state.data ? Infinity : 0), // a transaction that was not found may be recorded later
  });
  return data ? <Link to={`/transactions/${data}`}>{T.show}</Link> : null;
}
