import type { Reader } from './readers.js';

export interface Setting<Value, Fallback> {
  readonly reader: Reader<Value>;
  /** Explains the setting in `.env.example` and in the message about a missing setting. */
  readonly meaning: string;
  /** The default value, or `REQUIRED`. */
  readonly fallback: Fallback;
  /** Rejected in production if it is set. */
  readonly developmentOnly?: boolean;
  /** Never shown. In production the sandbox's value is rejected. */
  readonly isSecret?: boolean;
  /** In production, too, the value may be a URL of the machine on which the service runs. */
  readonly mayBeLocal?: boolean;
}

export const REQUIRED = Symbol('required');

export function setting<Value, Fallback>(
  reader: Reader<Value>,
  fallback: Fallback,
  meaning: string,
  flags: { developmentOnly?: boolean; isSecret?: boolean; mayBeLocal?: boolean } = {},
): Setting<Value, Fallback> {
  return { reader, fallback, meaning, ...flags };
}

/** The setting X_ALSO of the secret X: both are accepted, so that X can be rotated while several processes run. */
export function secondOf<Value>(name: string, reader: Reader<Value>): Setting<Value, undefined> {
  return setting(
    reader,
    undefined,
    `second value, accepted beside ${name} while ${name} is replaced: docs/operations.md, "Rotating secrets"`,
    {
      isSecret: true,
    },
  );
}
