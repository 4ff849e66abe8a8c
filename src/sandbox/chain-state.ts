import { gunzipSync } from 'node:zlib';
import type { Hex } from 'viem';
import { writeWhole } from './json-file.js';

export interface ChainSource {
  dumpState(): Promise<Hex>;
  blockNumber(): Promise<bigint>;
}

/**
 * Keeps the chain in a file, as `anvil --load-state` reads it: accounts, blocks, transactions and receipts.
 * anvil's own --state-interval writes in place, so that a kill in the middle leaves a file it cannot read again;
 * we ask it for its state (anvil_dumpState: gzipped JSON) and replace the file whole.
 * Only the newest state is kept: after a restart a *balance* at an older block cannot be asked for.
 */
export class ChainState {
  private savedBlock: bigint | undefined;
  private saving: Promise<void> = Promise.resolve();

  constructor(
    readonly file: string,
    private readonly source: ChainSource,
  ) {}

  /** Saves what there is now, unless it is saved already. Saves wait for each other. */
  save(): Promise<void> {
    const next = this.saving.then(async () => {
      const block = await this.source.blockNumber();
      if (block === this.savedBlock) return;
      const dump = await this.source.dumpState();
      writeWhole(this.file, gunzipSync(Buffer.from(dump.slice(2), 'hex')));
      this.savedBlock = block;
    });
    this.saving = next.catch(() => undefined);
    return next;
  }
}
