import type { Reader } from './readers.js';
import { parsedUrl } from '../common/parsed-url.js';

/** Names in ASCII, such as localhost, app_1.example.com or xn--e1afmkfd.xn--p1ai, and IPv6 addresses; no wildcards. */
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;
/** An origin of an application that is no web site, such as capacitor://localhost or chrome-extension://<id>. */
const APPLICATION_ORIGIN = /^([a-z][a-z0-9+.-]*:)\/\/([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::\d{1,5})?\/?$/i;
/** Schemes of addresses that have no origin, or that run a script. */
const SCHEMES_WITHOUT_ORIGIN = new Set(['about:', 'blob:', 'data:', 'file:', 'javascript:', 'vbscript:']);

/** The origin of an address as browsers send it; `URL.origin` is null for schemes such as capacitor. */
export function originOf(address: string): string {
  const { origin, protocol, host } = new URL(address);
  return origin === 'null' && host !== '' ? `${protocol}//${host.toLowerCase()}` : origin;
}

function webOrigin(value: string): string | undefined {
  const address = parsedUrl(value);
  if (!address) return undefined;
  const { protocol, hostname, origin, href } = address;
  const isWeb = protocol === 'http:' || protocol === 'https:';
  return isWeb && HOST.test(hostname) && href === `${origin}/` ? origin : undefined;
}

function applicationOrigin(value: string): string | undefined {
  const [, scheme = ''] = APPLICATION_ORIGIN.exec(value) ?? [];
  const isWeb = /^https?:$/i.test(scheme);
  if (scheme === '' || isWeb || SCHEMES_WITHOUT_ORIGIN.has(scheme.toLowerCase())) return undefined;
  return parsedUrl(value) && originOf(value);
}

/** A trailing slash is accepted and removed, and a name in another script than Latin becomes ASCII. */
export const origin: Reader<string> = {
  expects: 'an address without a path, such as https://app.example.com',
  read: webOrigin,
};

/** Several origins, separated by commas. A wildcard is rejected: every page could read responses with a user's cookie. */
export const origins: Reader<string[]> = {
  expects:
    'a comma-separated list of exact origins without wildcard and path, such as https://app.example.com or capacitor://localhost',
  read: (value) => {
    const items = value
      .split(',')
      .map((item) => item.trim())
      .map((item) => webOrigin(item) ?? applicationOrigin(item));
    return items.every((item) => item !== undefined) ? items : undefined;
  },
};

/** True for an HTTP address of the machine on which the service runs; false for any other text. */
export function isAddressOfThisMachine(value: string): boolean {
  const text = value.trim();
  const host = (/^https?:/i.test(text) && parsedUrl(text)?.hostname) || '';
  return /^((.+\.)?localhost\.?|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|\[::ffff:(7f[0-9a-f]{2}:[0-9a-f]{1,4}|0:0)\])$/.test(
    host,
  );
}
