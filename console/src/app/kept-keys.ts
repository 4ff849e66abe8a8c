// The Idempotency-Keys of requests that have not succeeded. They outlive the form and a reload. A rejection does not remove a key: the
// service stores nothing under the key of a rejected request, so the next attempt can use it; and if an earlier attempt got no answer,
// it may have succeeded, which only a repetition with the same key finds out.

interface Intent {
  userId: string;
  action: string;
  /** What the person wants, for example amount and address. */
  intent: unknown;
}

const nameOf = ({ userId, action, intent }: Intent) =>
  `idempotency-key.${JSON.stringify([userId, action, intent])}`;

/** The same key for the same intent, until it is forgotten. */
export function keyOf(intent: Intent): string {
  const name = nameOf(intent);
  const key = sessionStorage.getItem(name) ?? crypto.randomUUID();
  sessionStorage.setItem(name, key);
  return key;
}

/** After a success: the same content is a new intent from now on. */
export function forgetKey(intent: Intent): void {
  sessionStorage.removeItem(nameOf(intent));
}
