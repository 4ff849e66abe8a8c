import { Badge } from '@mantine/core';
import type { Answer } from '../../api/client.ts';
import { CANCELLED, STATUS, STATUS_COLOURS } from './texts.ts';

type Listed = Answer<'GET /api/admin/transactions'>['data']['transactions'][number];

/** The status of a transaction. A cancelled one is shown as cancelled, although its `status` in the API is `failed`. */
export function TransactionState({ status, cancelled }: Pick<Listed, 'status' | 'cancelled'>) {
  return (
    <Badge variant="light" color={cancelled ? 'gray' : STATUS_COLOURS[status]}>
      {cancelled ? CANCELLED : STATUS[status]}
    </Badge>
  );
}
