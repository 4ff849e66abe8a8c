import type { Response } from 'express';

const WORK_WITHOUT_CALLER_MS = 5000;

/**
 * Calls `tell` once, when the work for an answer is over: when its end has been handed over, though its caller may take
 * it slowly. Whoever goes away leaves work behind that goes on, so that is waited for, too; not for ever, since work
 * that notices it may end without an answer.
 */
export function onResponseEnd(response: Response, tell: () => void): void {
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    tell();
  };
  const end = response.end.bind(response) as (...given: unknown[]) => Response;
  response.end = (...given: unknown[]) => {
    const ended = end(...given);
    queueMicrotask(over); // who moves up may answer at once, and does not do so inside of this one
    return ended;
  };
  response.once('close', () => {
    if (response.headersSent) over();
    else setTimeout(over, WORK_WITHOUT_CALLER_MS).unref();
  });
}
