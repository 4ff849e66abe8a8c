import type { PlatformEvent } from './events.types.js';

/** `withdrawal` of `withdrawal.requested`. */
export function topicOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}

/** Functions of events, by the topics of the events. */
export type ByTopic<Result, Context = unknown> = Readonly<
  Record<string, (event: never, context: Context) => Result>
>;

/** Calls the function for the topic of the event; undefined without one. */
export function callByTopic<Result, Context = unknown>(
  functions: ByTopic<Result, Context>,
  event: PlatformEvent,
  context?: Context,
): Result | undefined {
  return functions[topicOf(event.name)]?.(event as never, context as Context);
}

/** For each topic the kind of record that its events are about, and the path of the record's id in the event. */
const SUBJECTS: Readonly<Record<string, readonly [type: string, ...path: string[]]>> = {
  deposit: ['deposit', 'depositId'],
  investment: ['investment', 'investmentId'],
  withdrawal: ['withdrawal', 'withdrawalId'],
  'withdrawal-limit': ['withdrawal', 'withdrawalId'],
  'withdrawal-on-chain': ['withdrawal', 'withdrawalId'],
  notification: ['notification', 'notification', 'id'],
  approval: ['approval', 'approval', 'id'],
  integrity: ['integrity-run', 'runId'],
  log: ['log-day', 'day'],
  'transaction-request': ['transaction-request', 'requestId'],
  alert: ['alert', 'alertId'],
  yield: ['yield-report', 'reportId'],
};

/** The record that an event is about: by default the user; null for an event without a user. */
export function subjectOf(event: PlatformEvent): { type: string | null; id: string | null } {
  const [type, ...path] = SUBJECTS[topicOf(event.name)] ?? ['user', 'userId'];
  const id = path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    event,
  );
  return typeof id === 'string' ? { type, id } : { type: null, id: null };
}
