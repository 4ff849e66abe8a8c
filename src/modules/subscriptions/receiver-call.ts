import http from 'node:http';
import https from 'node:https';
import { performance } from 'node:perf_hooks';
import type { Address } from './receivers.js';

export const LONGEST_CALL_MS = 10_000;
const MOST_READ_BYTES = 65_536;

/** Why an attempt was none. `status`: it was answered, but not with 2xx; `unsent`: the fault is ours. */
export const FAILURES = ['status', 'timeout', 'connection', 'address-refused', 'unsent'] as const;
export type Failure = (typeof FAILURES)[number];

/** What came of an attempt. Nothing of the answer is kept but its status: it is not ours to show. */
export interface Attempt {
  readonly responseStatus: number | null;
  readonly failure: Failure | null;
  readonly durationMs: number;
}

export interface Call {
  readonly url: string;
  /** The only ones that are connected to. */
  readonly addresses: readonly Address[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** POSTs once. Redirects are not followed. Rejects only when `interrupted`. */
export async function callReceiver(call: Call, interrupted: AbortSignal): Promise<Attempt> {
  const begun = performance.now();
  const deadline = AbortSignal.timeout(LONGEST_CALL_MS);
  const answer = await statusOf(call, AbortSignal.any([deadline, interrupted])).catch(() => undefined);
  interrupted.throwIfAborted();
  const durationMs = Math.round(performance.now() - begun);
  if (answer === undefined)
    return { responseStatus: null, failure: deadline.aborted ? 'timeout' : 'connection', durationMs };
  return { responseStatus: answer, failure: answer >= 200 && answer < 300 ? null : 'status', durationMs };
}

/** The status of the answer, once it has come to its end or enough of it was read. */
function statusOf({ url, addresses, headers, body }: Call, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http;
    const content = Buffer.from(body);
    const sent = request(url, {
      method: 'POST',
      agent: false, // a connection of its own: none is kept that was made to yesterday's address
      headers: { ...headers, 'content-length': content.length },
      signal,
      lookup: (_name, { all }, answer) => {
        const [first] = addresses as [Address];
        if (all) answer(null, [...addresses]);
        else answer(null, first.address, first.family);
      },
    });
    sent.on('error', reject);
    let isAnswered = false;
    sent.on('close', () => {
      if (!isAnswered) reject(new Error('closed without an answer')); // 101 ends like this, without an error
    });
    sent.on('response', (response) => {
      isAnswered = true;
      let read = 0;
      response.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > MOST_READ_BYTES) response.destroy();
      });
      response.on('error', () => undefined); // its status was said: the rest is of no interest
      response.on('close', () => resolve(response.statusCode as number));
    });
    sent.end(content);
  });
}
