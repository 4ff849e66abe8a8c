import type { AdminEvents, UserEvents } from './events.js';

export type LiveRecipient = 'user' | 'admin';
type EventsOf<Recipient extends LiveRecipient> = Recipient extends 'admin' ? AdminEvents : UserEvents;

/** An event. `type` determines the fields of `data`. */
export type LiveEvent<Recipient extends LiveRecipient = 'user'> = {
  [Type in keyof EventsOf<Recipient>]: {
    /** Opaque. Store it to continue after this event later. */
    id: string;
    type: Type;
    /** ISO 8601. */
    at: string;
    data: EventsOf<Recipient>[Type];
  };
}[keyof EventsOf<Recipient>];

/**
 * Why a subscription has ended. `closed`: the caller has closed it; `session-ended`: sign in and subscribe again; `replaced`: a
 * newer connection of the same user has replaced it; `refused`: the ticket was refused; `failed`: a callback has thrown.
 */
export type LiveEnd = 'closed' | 'session-ended' | 'replaced' | 'refused' | 'failed';

export type LiveState =
  | { status: 'connecting' }
  | { status: 'live' }
  /** The connection was lost or refused; `code` is its close code. */
  | { status: 'waiting'; retryInMs: number; code?: number; error?: unknown }
  | { status: 'ended'; reason: LiveEnd; code?: number; error?: unknown };

/** The part of a WebSocket that this client uses. */
export interface LiveSocket {
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  close(code?: number): void;
}
export type LiveSocketConstructor = new (url: string) => LiveSocket;

export interface LiveOptions<Recipient extends LiveRecipient = 'user'> {
  /** The id of the last event of an earlier subscription: the events since then come first. */
  after?: string;
  /** `admin` subscribes to the events for admins and needs the token of an admin. Default: `user`. */
  as?: Recipient;
  /** Receives each event once, in order; an event during which it calls `reconnect` comes again. It is not awaited. */
  onEvent(event: LiveEvent<Recipient>): void;
  /**
   * Called if earlier events will not be delivered: read the lists and balances now. That happens when a connection opens while
   * `lastEventId` is undefined, and after an interruption of which the service no longer has all events.
   */
  onGap?(): void;
  onState?(state: LiveState): void;
  signal?: AbortSignal;
  /** For Node 20, which has no WebSocket of its own: that of the package `ws`. */
  webSocket?: LiveSocketConstructor;
}

export interface LiveSubscription {
  /** The id of the last event that `onEvent` has handled without an error, or `after`. */
  readonly lastEventId: string | undefined;
  /** Replaces the connection now, for example after the device has slept. */
  reconnect(): void;
  close(): void;
}

/** Returns the address of a new connection, with its ticket. `after`: the id of the last event. */
export type ConnectionUrl = (after: string | undefined, signal: AbortSignal) => Promise<string>;

/** The first message of a connection. `complete`: all events after `after` follow; true without `after`. */
interface Hello {
  type: 'hello';
  data: { complete: boolean };
}

const CLOSE_RESTART = 1012;
const CLOSE_SESSION_ENDED = 4401;
const CLOSE_REPLACED = 4429;
/** The code with which this client closes a connection. */
const CLOSE_NORMAL = 1000;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** After a restart of the service, clients connect at a random time within this delay. */
const RESTART_SPREAD_MS = 5000;
/** Time-out from the request for the ticket to the first message. */
const CONNECT_TIMEOUT_MS = 15_000;
/** A connection that lasted longer resets the retry delay; one that the service closes at once lets the delay grow. */
const STABLE_MS = 2000;
const RETRIED_STATUSES = [408, 425, 429];

/** Keeps one connection open until the caller or the service ends it. */
export class LiveConnection<Recipient extends LiveRecipient> implements LiveSubscription {
  lastEventId: string | undefined;
  private socket: LiveSocket | undefined;
  private connecting: AbortController | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private openedAt = Infinity;
  private hasEnded = false;

  private readonly connectionUrl: ConnectionUrl;
  private readonly options: LiveOptions<Recipient>;
  private readonly Socket: LiveSocketConstructor;

  constructor(connectionUrl: ConnectionUrl, options: LiveOptions<Recipient>, Socket: LiveSocketConstructor) {
    this.connectionUrl = connectionUrl;
    this.options = options;
    this.Socket = Socket;
    this.lastEventId = options.after;
    options.signal?.addEventListener('abort', this.close, { once: true });
    if (options.signal?.aborted) this.hasEnded = true;
    else void this.connect();
  }

  readonly close = (): void => this.end('closed');

  reconnect(): void {
    if (this.hasEnded) return;
    this.dropSocket();
    this.failures = 0;
    void this.connect();
  }

  private async connect(): Promise<void> {
    const connecting = new AbortController();
    this.connecting = connecting;
    const isCurrent = () => this.connecting === connecting && !this.hasEnded;
    this.timer = setTimeout(() => this.retry({ error: new Error('timed out') }), CONNECT_TIMEOUT_MS);
    if (!this.invokeCallback(() => this.options.onState?.({ status: 'connecting' })) || !isCurrent()) return;
    try {
      const url = await this.connectionUrl(this.lastEventId, connecting.signal);
      if (isCurrent()) this.open(url);
    } catch (error) {
      if (isCurrent()) this.handleRefusal(error);
    }
  }

  private open(url: string): void {
    const socket = new this.Socket(url);
    this.socket = socket;
    socket.onmessage = ({ data }: { data: unknown }) => {
      if (this.socket === socket) this.receive(JSON.parse(String(data)) as Hello | LiveEvent<Recipient>);
    };
    socket.onerror = () => undefined; // `close` follows
    socket.onclose = ({ code }: { code: number }) => {
      if (this.socket === socket) this.handleClose(code);
    };
  }

  private receive(message: Hello | LiveEvent<Recipient>): void {
    if (message.type === 'hello') return this.handleHello(message as Hello);
    const event = message as LiveEvent<Recipient>;
    if (this.invokeCallback(() => this.options.onEvent(event))) this.lastEventId = event.id;
  }

  /** Without a last id the service cannot know which events a lost connection has missed. */
  private handleHello({ data }: Hello): void {
    clearTimeout(this.timer);
    this.openedAt = Date.now();
    const isGap = !data.complete || this.lastEventId === undefined;
    if (!this.invokeCallback(() => this.options.onState?.({ status: 'live' }))) return;
    if (isGap && !this.hasEnded) this.invokeCallback(() => this.options.onGap?.());
  }

  private handleClose(code: number): void {
    if (code === CLOSE_SESSION_ENDED) return this.end('session-ended', { code });
    if (code === CLOSE_REPLACED) return this.end('replaced', { code });
    // All clients of a process that restarts lose their connections at the same moment.
    const spreadMs = code === CLOSE_RESTART ? Math.random() * RESTART_SPREAD_MS : 0;
    this.retry({ code, retryInMs: Math.max(this.nextBackoffMs(), spreadMs) });
  }

  private handleRefusal(error: unknown): void {
    const { status, retryAfterSeconds } = error as { status?: number; retryAfterSeconds?: number };
    if (status === 401) return this.end('session-ended', { error });
    if (status && status < 500 && !RETRIED_STATUSES.includes(status)) return this.end('refused', { error });
    const retryInMs = Math.max(this.nextBackoffMs(), 1000 * (retryAfterSeconds ?? 0));
    this.retry({ error, retryInMs });
  }

  private retry({ retryInMs = this.nextBackoffMs(), ...cause }: Cause & { retryInMs?: number }): void {
    this.dropSocket();
    this.failures++;
    this.timer = setTimeout(() => void this.connect(), retryInMs);
    this.invokeCallback(() => this.options.onState?.({ status: 'waiting', retryInMs, ...cause }));
  }

  /**
   * The exponential delay before the next attempt; half of it is random, so that clients do not return at the same moment. A
   * connection that was stable resets the count of failures.
   */
  private nextBackoffMs(): number {
    if (Date.now() - this.openedAt > STABLE_MS) this.failures = 0;
    this.openedAt = Infinity;
    const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.failures, 10));
    return delay * (0.5 + Math.random() / 2);
  }

  private dropSocket(): void {
    clearTimeout(this.timer);
    this.connecting?.abort();
    this.connecting = undefined;
    const { socket } = this;
    this.socket = undefined; // its later messages are ignored: they are replayed to the next connection
    socket?.close(CLOSE_NORMAL);
  }

  private end(reason: LiveEnd, cause: Cause = {}): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.options.signal?.removeEventListener('abort', this.close);
    this.dropSocket();
    this.options.onState?.({ status: 'ended', reason, ...cause });
  }

  /** Ends the subscription and returns false if the callback throws. If `onEvent` throws, `lastEventId` does not change. */
  private invokeCallback(callback: () => void): boolean {
    try {
      callback();
      return true;
    } catch (error) {
      this.end('failed', { error });
      return false;
    }
  }
}

/** Why a connection was lost or a subscription has ended. */
interface Cause {
  code?: number;
  error?: unknown;
}
