import { Badge } from '@mantine/core';
import type { Answer } from '../../api/client.ts';
import { HOLD, STATUS, STATUS_COLOURS } from './texts.ts';

export type Deposit = Answer<'GET /api/admin/deposits'>['data'][number];

export function DepositState({ status, metadata: { holdReason } }: Deposit) {
  return (
    <span className="button-row">
      <Badge variant="light" color={STATUS_COLOURS[status]}>
        {STATUS[status]}
      </Badge>
      {holdReason && (
        <Badge variant="light" color="yellow">
          {HOLD[holdReason]}
        </Badge>
      )}
    </span>
  );
}
