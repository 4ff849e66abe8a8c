import { Badge } from '@mantine/core';
import { CHAIN_CHECK, CHAIN_CHECK_COLOURS } from '../treasury/texts.ts';

/** A badge with the result of the check of a transaction with the chain; nothing if there was no check. */
export function ChainVerdict({ of: verdict }: { of: keyof typeof CHAIN_CHECK_COLOURS | null }) {
  if (!verdict) return null;
  return (
    <Badge variant="light" color={CHAIN_CHECK_COLOURS[verdict]}>
      {CHAIN_CHECK[verdict]}
    </Badge>
  );
}
