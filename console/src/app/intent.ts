import { useCallback, useRef, useState } from 'react';
import type { Repetition } from './errors.ts';
import { forgetKey, keyOf } from './kept-keys.ts';
import { useUser } from './session.tsx';

type ActionState<Result> =
  | { status: 'idle' }
  | { status: 'running' }
  | { status: 'done'; result: Result }
  | { status: 'failed'; error: unknown };

/** Thrown if the person closes the dialog of the second factor. */
export class CancelledError extends Error {}

/**
 * Performs one intent at a time. `intent` describes what the person wants, for example amount and address. `keptAs` names an action
 * whose requests have an Idempotency-Key: a repetition of the same intent has the same key until it has succeeded, also after a
 * reload, so that a retry after a lost answer does not act twice. `repetition` says what a second press would do
 * after a request without an answer: the text of the error advises by it.
 */
export function useAction<Result>(
  keptAs?: string,
  repetition: Repetition = keptAs === undefined ? 'acts-again' : 'acts-once',
) {
  const { id: userId } = useUser();
  const [state, setState] = useState<ActionState<Result>>({ status: 'idle' });
  const isRunning = useRef(false);
  const run = useCallback(
    async (intent: unknown, perform: (key: string) => Promise<Result>) => {
      if (isRunning.current) return undefined;
      isRunning.current = true;
      const kept = keptAs === undefined ? undefined : { userId, action: keptAs, intent };
      setState({ status: 'running' });
      try {
        const result = await perform(kept ? keyOf(kept) : crypto.randomUUID());
        if (kept) forgetKey(kept);
        setState({ status: 'done', result });
        return result;
      } catch (error) {
        if (error instanceof CancelledError) setState({ status: 'idle' });
        else setState({ status: 'failed', error });
        return undefined;
      } finally {
        isRunning.current = false;
      }
    },
    [userId, keptAs],
  );
  const reset = useCallback(() => setState({ status: 'idle' }), []);
  return { state, run, reset, repetition };
}

export type Action<Result> = ReturnType<typeof useAction<Result>>;
