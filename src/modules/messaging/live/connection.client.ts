import type { RawData, WebSocket } from 'ws';
import { mayReceive } from './domain/audience.js';
import { frameOf } from './domain/live-messages.js';
import { CLOSE, MAX_BUFFERED_BYTES, MAX_CLIENT_PINGS, type CloseReason } from './live.constants.js';
import type { Audience, LiveOwner, LiveMessage } from './live.types.js';

/** The connection of a client. It closes if the client sends messages or too many pings, or does not read. */
export class LiveConnection {
  /** When the client last answered a ping; both times are by the monotonic clock. */
  lastPongMs = performance.now();
  lastPingMs = performance.now();
  /** Undefined during the replay; afterwards the number up to which the replay has sent the events. */
  private liveAfter: number | undefined;
  /** Ids of messages that are not sent: the client has seen them, or their events were committed before the connection. */
  private skipped: Set<string> | undefined;
  private clientPings = 0;

  constructor(
    readonly owner: LiveOwner,
    /** The network address of the caller. */
    readonly address: string,
    private readonly socket: WebSocket,
    /** Called with the count of messages that were sent. */
    private readonly onSent: (count: number) => void,
  ) {
    socket.on('message', (_data: RawData) => this.close(CLOSE.messageSent));
    socket.on('pong', () => (this.lastPongMs = performance.now()));
    socket.on('ping', () => {
      if (++this.clientPings > MAX_CLIENT_PINGS) this.close(CLOSE.messageSent);
    });
    socket.on('error', () => undefined); // the event `close` follows
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Bytes that the client has not read, beyond those that the kernel holds. */
  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  /** Ends the replay: from now on `deliver` sends the events with numbers above `after`. */
  startLive(after: number): void {
    this.liveAfter = after;
  }

  /** Sets the ids of messages that the connection does not send. Each id is forgotten when its message is skipped. */
  skipMessages(ids: readonly string[]): void {
    this.skipped = ids.length > 0 ? new Set(ids) : undefined;
  }

  /**
   * Sends a message that the audience may receive, unless it is skipped, or the replay has sent it or is still running. Closes
   * the connection if its client does not read.
   */
  deliver(message: LiveMessage, frame: string, audience: Audience): void {
    if (this.liveAfter === undefined || message.sequence <= this.liveAfter || !this.isOpen) return;
    if (!mayReceive(audience, message) || this.isSkipped(message)) return;
    if (this.bufferedBytes > MAX_BUFFERED_BYTES) return this.close(CLOSE.tooSlow);
    this.socket.send(frame);
    this.onSent(1);
  }

  sendHello(frame: string): void {
    this.socket.send(frame);
  }

  /** Sends a page of the replay. Resolves when the socket has taken the page; rejects if the connection has ended. */
  async sendPage(messages: readonly LiveMessage[]): Promise<void> {
    const frames = messages.filter((message) => !this.isSkipped(message)).map(frameOf);
    const last = frames.at(-1);
    if (last === undefined) return;
    for (const frame of frames.slice(0, -1)) this.socket.send(frame);
    await new Promise<void>((resolve, reject) =>
      this.socket.send(last, (error) => (error ? reject(error) : resolve())),
    );
    this.onSent(frames.length);
  }

  ping(): void {
    this.lastPingMs = performance.now();
    this.clientPings = 0;
    if (this.isOpen) this.socket.ping();
  }

  close({ code, reason }: CloseReason): void {
    if (this.isOpen) this.socket.close(code, reason);
  }

  terminate(): void {
    this.socket.terminate();
  }

  private isSkipped({ id }: LiveMessage): boolean {
    if (!this.skipped?.delete(id)) return false;
    if (this.skipped.size === 0) this.skipped = undefined;
    return true;
  }
}
