import type { Reader } from './readers.js';

export interface Setting<Value, Fallback> {
  readonly reader: Reader<Value>;
  readonly meaning: string;
  /** The value when the setting is absent; `REQUIRED` when there is none to assume. */
  readonly fallback: Fallback;
  /** Refused in production when it is set at all. */
  readonly developmentOnly?: boolean;
  /** Never shown, and refused in production when it is the sandbox's. */
  readonly isSecret?: boolean;
  /** May stand beside the service on its own machine, in production too. */
  readonly mayBeHere?: boolean;
}

export const REQUIRED = Symbol('required');

export function setting<Value, Fallback>(
  reader: Reader<Value>,
  fallback: Fallback,
  meaning: string,
  more: { developmentOnly?: boolean; isSecret?: boolean; mayBeHere?: boolean } = {},
): Setting<Value, Fallback> {
  return { reader, fallback, meaning, ...more };
}

/** X_ALSO: accepted wherever X is, so that X can be replaced while several processes run. */
export function secondOf<Value>(name: string, reader: Reader<Value>): Setting<Value, undefined> {
  return setting(
    reader,
    undefined,
    `accepted beside ${name} while that is replaced: docs/operations.md, "Rotating secrets"`,
    {
      isSecret: true,
    },
  );
}
