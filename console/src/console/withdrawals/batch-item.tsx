import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { inLanguage } from '../../ui/language.ts';
import { Money, Shortened } from '../../ui/values.tsx';
import type { ItemOutcome } from './use-batch.ts';

const T = inLanguage({
  done: ['done', 'erledigt'],
  sending: [
    (count: number) => `${count} are being changed, one after the other …`,
    (count: number) => `${count} werden nacheinander geändert …`,
  ],
  part: [
    (changed: number, failed: number) => `Done: ${changed}. Refused or waiting: ${failed}.`,
    (changed: number, failed: number) => `Erledigt: ${changed}. Abgelehnt oder wartend: ${failed}.`,
  ],
});

/** What a dialog shows of a withdrawal. If its id was pasted and it is not on the page, only the id is known. */
export interface BatchItem {
  readonly id: string;
  readonly userEmail?: string;
  readonly amount?: string;
  readonly address?: string;
}

interface BatchRowProps {
  item: BatchItem;
  outcome: ItemOutcome | undefined;
  /** The field or the rejection of the withdrawal, shown until its outcome is `done`. */
  children: ReactNode;
}

export function BatchRow({ item: { id, userEmail, amount, address }, outcome, children }: BatchRowProps) {
  return (
    <li data-item={id}>
      <Group gap="xs" justify="space-between">
        <span className="batch-name">
          {userEmail ?? id} {address && <Shortened value={address} />}
        </span>
        {amount && <Money amount={amount} currency="USDC" isExact />}
      </Group>
      {outcome === 'done' ? <strong>{T.done}</strong> : children}
    </li>
  );
}

interface BatchStatusProps {
  outcomes: ReadonlyMap<string, ItemOutcome>;
  /** How many withdrawals are being changed now. */
  sentCount: number;
  children?: ReactNode;
}

/** How far a batch is, for screen readers, too. */
export function BatchStatus({ outcomes, sentCount, children }: BatchStatusProps) {
  const doneCount = [...outcomes.values()].filter((outcome) => outcome === 'done').length;
  return (
    <Text size="sm" component="div" role="status">
      {sentCount > 0 && T.sending(sentCount)}
      {sentCount === 0 && outcomes.size > 0 && (
        <strong>{T.part(doneCount, outcomes.size - doneCount)}</strong>
      )}
      {sentCount === 0 && children}
    </Text>
  );
}
