import { Badge } from '@mantine/core';
import type { Answer } from '../../api/client.ts';
import { CANCELLED, STATUS, STATUS_COLOURS } from './texts.ts';

type Listed = Answer<'GET /api/admin/transactions'>['data']['transactions'][number];

/** The status; one that was cancelled has not failed, although the service counts it with those. */
export function TransactionState({ status, cancelled }: Pick<Listed, 'status' | 'cancelled'>) {
  return (
    <Badge variant="light" color={cancelled ? 'gray' : STATUS_COLOURS[status]}>
      {cancelled ? CANCELLED : STATUS[status]}
    </Badge>
  );
}
