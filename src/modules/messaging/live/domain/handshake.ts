import type { IncomingMessage } from 'node:http';
import { throwError } from '../../../../common/errors/domain-error.js';
import { LIVE_PATH } from '../live.constants.js';

const KEY = /^[+/0-9A-Za-z]{22}==$/;
const VERSION = '13';

/** True for a request that asks for a WebSocket at the path of live delivery. */
export function isLiveUpgrade({ url = '', headers }: Pick<IncomingMessage, 'url' | 'headers'>): boolean {
  const [path = ''] = url.split('?');
  return path.replace(/\/$/, '') === LIVE_PATH && /\bwebsocket\b/i.test(headers.upgrade ?? '');
}

/** Throws VALIDATION_ERROR unless the request is a WebSocket handshake (RFC 6455, section 4.1). */
export function requireHandshake({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): void {
  const isValid =
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === VERSION &&
    KEY.test(headers['sec-websocket-key'] ?? '');
  if (!isValid) failHandshake();
}

export function failHandshake(): never {
  const message = `is not a WebSocket handshake: send GET with Upgrade: websocket, Sec-WebSocket-Version: ${VERSION} and Sec-WebSocket-Key`;
  throwError('VALIDATION_ERROR', [{ field: 'request', message }]);
}

/** Throws FORBIDDEN for a web page of an origin that is not allowed. Programs other than browsers send no Origin. */
export function requireOrigin(origin: string | undefined, allowed: readonly string[]): void {
  if (origin === undefined || allowed.includes(origin)) return;
  const message = 'Web pages of this origin may not connect. Add it to CORS_ORIGINS.';
  throwError('FORBIDDEN', undefined, { message });
}

/** The first value of each of the two query parameters, or null. Other parameters are ignored. */
export function parametersOf(url = ''): { ticket: string | null; after: string | null } {
  const parameters = new URLSearchParams(url.split('?')[1] ?? '');
  return { ticket: parameters.get('ticket'), after: parameters.get('after') };
}
