import { parsedUrl } from './parsed-url.js';

const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;

/** An HTTP address without credentials, and the header that carries them. */
export interface HttpAddress {
  readonly url: string;
  /** Authorization with the credentials of the address; empty if it has none. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Splits `https://user:password@host`: `fetch` rejects an address with credentials, and an error would repeat them. */
export function httpAddress(text: string): HttpAddress {
  const { username, password } = parsedUrl(text) ?? { username: '', password: '' };
  if (!username && !password) return { url: text, headers: {} };
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { url: text.replace(CREDENTIALS, '$1'), headers: { Authorization: `Basic ${credentials}` } };
}

/** The text as it can be shown: an address without its credentials, other text unchanged. */
export function withoutCredentials(text: string): string {
  return text.replace(CREDENTIALS, '$1');
}

/** The secret texts in an address with credentials, in each form in which they are sent or written; otherwise none. */
export function credentialsOf(text: string): string[] {
  const address = CREDENTIALS.test(text) ? parsedUrl(text) : undefined;
  if (!address) return [];
  const { username, password } = address;
  const secret = password || username; // some services take a token as the name of the user
  const { Authorization = '' } = httpAddress(text).headers;
  return [secret, decoded(secret), Authorization.replace('Basic ', '')].filter((part) => part !== '');
}

/** A percent sign that begins no escape stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
