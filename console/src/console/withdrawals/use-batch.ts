import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useIntent } from '../../api/intents.ts';
import type { BatchOutcome } from '../../api/withdrawal-batches.ts';
import { textOf } from '../../ui/error-texts.ts';
import { OUTCOME } from './texts.ts';

/** What became of a withdrawal: `done`, or why not. */
export type ItemOutcome = 'done' | { readonly refusal: string };

export const refusalOf = (outcome: ItemOutcome | undefined): string | undefined =>
  typeof outcome === 'object' ? outcome.refusal : undefined;

/** The result for ActionDialog: it stays open if a withdrawal was rejected by the service, and shows why. */
export const afterBatch = ({ failed }: BatchOutcome) => (failed.length > 0 ? 'stays-open' : 'done');

interface Batch {
  /** The outcomes of the withdrawals that were sent so far, by their ids. */
  readonly outcomes: ReadonlyMap<string, ItemOutcome>;
  /** How many withdrawals are being changed now. */
  readonly sentCount: number;
  /** Sends a batch. A repetition with the same content after a lost response has the same key. */
  readonly send: (
    content: readonly unknown[],
    request: (idempotencyKey: string) => Promise<BatchOutcome>,
  ) => Promise<BatchOutcome>;
}

/** Sends batches, and keeps the outcome of each withdrawal. `onChanged` is called with those that were changed. */
export function useBatch(onChanged: (ids: readonly string[]) => void): Batch {
  const queries = useQueryClient();
  const intent = useIntent();
  const [outcomes, setOutcomes] = useState<Batch['outcomes']>(new Map());
  const [sentCount, setSentCount] = useState(0);
  const send: Batch['send'] = async (content, request) => {
    setSentCount(content.length);
    try {
      const outcome = await intent(content, request);
      const changed = outcome.changed.map((id) => [id, 'done'] as const);
      const failed = outcome.failed.map(
        ({ id, code, message, approvalId }) =>
          [id, { refusal: approvalId ? OUTCOME.waiting : textOf({ code, message }) }] as const,
      );
      setOutcomes((before) => new Map<string, ItemOutcome>([...before, ...changed, ...failed]));
      onChanged(outcome.changed);
      return outcome;
    } finally {
      setSentCount(0);
      await Promise.all(
        ['withdrawals', 'approvals', 'queues'].map((area) => queries.invalidateQueries({ queryKey: [area] })),
      );
    }
  };
  return { outcomes, sentCount, send };
}
