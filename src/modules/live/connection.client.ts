import type { RawData, WebSocket } from 'ws';
import { frameOf, mayReceive } from './domain/event-audience.js';
import { CLOSE, MAX_BUFFERED_BYTES, MAX_CLIENT_PINGS, type CloseReason } from './live.constants.js';
import type { Audience, LiveOwner, PositionedEvent } from './live.types.js';

/** The connection of a client. It is closed when the session of its owner ends, and if the client sends messages or does not read. */
export class LiveConnection {
  /** Real time of the last sign of life. */
  lastPongMs = performance.now();
  lastPingMs = performance.now();
  /** Undefined while events from before are replayed; then the last position of the replay. */
  private liveAfter: number | undefined;
  /** Events from before the connection, which are not to be sent. */
  private skipped: Set<string> | undefined;
  private clientPings = 0;

  constructor(
    readonly owner: LiveOwner,
    private readonly socket: WebSocket,
    /** Counts a sent event. */
    private readonly onSent: () => void,
  ) {
    socket.on('message', (_data: RawData) => this.close(CLOSE.messageSent));
    socket.on('pong', () => (this.lastPongMs = performance.now()));
    socket.on('ping', () => {
      if (++this.clientPings > MAX_CLIENT_PINGS) this.close(CLOSE.messageSent);
    });
    socket.on('error', () => undefined); // `close` follows
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Bytes that the client has not read, beyond those that the kernel holds. */
  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  /** Sends each event behind `position` from now on as it arrives. */
  startLive(position: number): void {
    this.liveAfter = position;
  }

  /** Leaves out these events, once each. */
  skipEvents(ids: readonly string[]): void {
    this.skipped = ids.length > 0 ? new Set(ids) : undefined;
  }

  /** Sends an event, unless the replay is still to send it. Closes the connection if its client does not read. */
  deliver(event: PositionedEvent, frame: string, audience: Audience): void {
    if (this.liveAfter === undefined || event.position <= this.liveAfter || !this.isOpen) return;
    if (!mayReceive(audience, event) || this.isSkipped(event)) return;
    if (this.bufferedBytes > MAX_BUFFERED_BYTES) return this.close(CLOSE.tooSlow);
    this.socket.send(frame);
    this.onSent();
  }

  sendHello(frame: string): void {
    this.socket.send(frame);
  }

  /** Sends a page of a replay. Resolves when the socket has taken it; rejects if the connection has ended. */
  async sendPage(events: readonly PositionedEvent[]): Promise<void> {
    const frames = events.filter((event) => !this.isSkipped(event)).map(frameOf);
    const last = frames.pop();
    if (last === undefined) return;
    for (const frame of frames) this.socket.send(frame);
    await new Promise<void>((resolve, reject) =>
      this.socket.send(last, (error) => (error ? reject(error) : resolve())),
    );
    for (let sent = 0; sent <= frames.length; sent++) this.onSent();
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

  private isSkipped({ id }: PositionedEvent): boolean {
    if (!this.skipped?.delete(id)) return false;
    if (this.skipped.size === 0) this.skipped = undefined;
    return true;
  }
}
