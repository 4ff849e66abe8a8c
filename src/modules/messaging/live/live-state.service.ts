import { Injectable } from '@nestjs/common';
import { ConnectionsService } from './connections.service.js';
import { EventDeliveryService } from './event-delivery.service.js';

export interface LiveState {
  readonly isEnabled: boolean;
  readonly connections: number;
  /** Events sent since the start of the process. */
  readonly delivered: number;
  readonly oldestUndeliveredMs: number;
}

/** The live delivery of this process, for the status route and the metrics. */
@Injectable()
export class LiveStateService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly delivery: EventDeliveryService,
  ) {}

  /** False behind a pooler without DATABASE_NOTICES_URL, and until a poll for events has succeeded. */
  get isEnabled(): boolean {
    return this.delivery.isReady;
  }

  get state(): LiveState {
    return {
      isEnabled: this.isEnabled,
      connections: this.connections.count,
      delivered: this.connections.delivered,
      oldestUndeliveredMs: this.delivery.oldestUndeliveredMs,
    };
  }
}
