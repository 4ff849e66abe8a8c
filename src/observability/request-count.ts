import { Injectable } from '@nestjs/common';

/** Counts requests, for work in the background that gives way to them. */
@Injectable()
export class RequestCount {
  /** The requests that this process has begun to answer since its start, without probes. */
  begun = 0;
}
