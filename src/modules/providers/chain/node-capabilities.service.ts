import { Injectable } from '@nestjs/common';

/** What some nodes lack and the service can do without. */
export type NodeCapability =
  'eth_syncing' | 'eth_gasPrice' | 'block time' | 'status of receipts' | 'gas of receipts' | 'batches';

/** Remembers what the node did not provide when it was last asked for it, so that health can name it. */
@Injectable()
export class NodeCapabilities {
  private readonly lacking = new Set<NodeCapability>();

  record(capability: NodeCapability, isProvided: boolean): void {
    if (isProvided) this.lacking.delete(capability);
    else this.lacking.add(capability);
  }

  get missing(): readonly NodeCapability[] {
    return [...this.lacking];
  }
}
