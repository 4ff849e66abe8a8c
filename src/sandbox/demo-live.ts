import { WebSocket } from 'ws';
import { DemoFailure, liveUrl, type Person, until } from './demo-client.js';

interface LiveEvent {
  readonly type: string;
  readonly data: unknown;
}

/** The live events of one user, received over a WebSocket in the order of their delivery. */
export class LiveEvents {
  private readonly received: LiveEvent[] = [];

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (text: Buffer) => this.received.push(JSON.parse(text.toString()) as LiveEvent));
  }

  static async connect(user: Person): Promise<LiveEvents> {
    const { ticket } = await user.ask<{ ticket: string }>('POST', '/api/user/live/ticket');
    const socket = new WebSocket(liveUrl(ticket));
    const events = new LiveEvents(socket);
    await new Promise<void>((resolve, reject) => {
      socket.on('open', resolve);
      socket.on('error', ({ message }) => reject(new DemoFailure(`the WebSocket failed: ${message}`)));
    });
    return events;
  }

  close(): void {
    this.socket.close();
  }

  count(type: string): number {
    return this.received.filter((event) => event.type === type).length;
  }

  /** Waits for the first event of this type and returns its data. */
  first<Data>(type: string): Promise<Data> {
    return until(
      `the live event ${type}`,
      async () => this.received.find((event) => event.type === type)?.data as Data | undefined,
    );
  }
}
