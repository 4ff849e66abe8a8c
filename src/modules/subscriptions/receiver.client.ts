import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import type { ReceiverAddress } from './receivers.service.js';
import type { Attempt } from './subscriptions.types.js';

const TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 65_536;

export interface ReceiverCall {
  readonly url: string;
  /** The only addresses to connect to. */
  readonly addresses: readonly ReceiverAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends one POST request. Does not follow redirects. Rejects only if `interrupted` is aborted. */
export async function callReceiver(call: ReceiverCall, interrupted: AbortSignal): Promise<Attempt> {
  const startedAt = performance.now();
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const status = await statusOf(call, AbortSignal.any([deadline, interrupted])).catch(() => undefined);
  interrupted.throwIfAborted();
  const durationMs = Math.round(performance.now() - startedAt);
  if (status === undefined)
    return { responseStatus: null, failure: deadline.aborted ? 'timeout' : 'connection', durationMs };
  return { responseStatus: status, failure: status >= 200 && status < 300 ? null : 'status', durationMs };
}

/** The status of the response, after its end or its first `MAX_RESPONSE_BYTES`. */
function statusOf({ url, addresses, headers, body }: ReceiverCall, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http;
    const content = Buffer.from(body);
    const sent = request(url, {
      method: 'POST',
      agent: false, // a kept connection could lead to an address that the name no longer has
      headers: { ...headers, 'content-length': content.length },
      signal,
      lookup: (_name, { all }, callback) => {
        const [first] = addresses as [ReceiverAddress];
        if (all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
    });
    sent.on('error', reject);
    let hasResponse = false;
    sent.on('close', () => {
      if (!hasResponse) reject(new Error('closed without a response')); // a 101 emits no error
    });
    sent.on('response', (response) => {
      hasResponse = true;
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > MAX_RESPONSE_BYTES) response.destroy();
      });
      response.on('error', () => undefined); // the status is known
      response.on('close', () => resolve(response.statusCode as number));
    });
    sent.end(content);
  });
}
