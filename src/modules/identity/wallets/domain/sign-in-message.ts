import { createSiweMessage, parseSiweMessage, type SiweMessage } from 'viem/siwe';

/** Stands for the host while viem handles a message, because viem rejects hosts such as xn--p1ai, app_1, [::1] and names without a dot. */
const PLACEHOLDER = 'localhost';
const HOST_OF_MESSAGE = /^((?:[a-zA-Z][a-zA-Z0-9+.-]*:\/\/)?)([^\s/?#@]+)(?= wants you to sign in )/;

export type SignInMessage = ReturnType<typeof parseSiweMessage>;

/** A message according to EIP-4361. `domain` is a host as in a URL, with a port unless it is the default one. */
export function createSignInMessage({ domain, ...fields }: SiweMessage): string {
  return createSiweMessage({ ...fields, domain: PLACEHOLDER }).replace(PLACEHOLDER, domain);
}

/** The fields of a message; those that it lacks are undefined. */
export function parseSignInMessage(message: string): SignInMessage {
  const [, , domain] = HOST_OF_MESSAGE.exec(message) ?? [];
  const fields = parseSiweMessage(message.replace(HOST_OF_MESSAGE, `$1${PLACEHOLDER}`));
  return domain === undefined ? fields : { ...fields, domain };
}
