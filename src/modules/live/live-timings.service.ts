import { Injectable } from '@nestjs/common';

/** The intervals of connections in milliseconds. A test shortens them. */
@Injectable()
export class LiveTimings {
  pingEveryMs = 30_000;
  /** Without a pong for this time the connection is closed. */
  pongWithinMs = 60_000;
}
