import { gunzipSync } from 'node:zlib';
import type { Hex } from 'viem';
import { replaceFile } from './json-file.js';

export interface ChainSource {
  dumpState(): Promise<Hex>;
  blockNumber(): Promise<bigint>;
}

/**
 * Stores the chain in a file for `anvil --load-state`: accounts, blocks, transactions and receipts. anvil's own
 * --state-interval writes in place, so that a killed process leaves an unreadable file. This class reads the state
 * (anvil_dumpState: gzipped JSON) and replaces the file atomically. A restart loses the balances at earlier blocks.
 */
export class ChainState {
  private savedBlock: bigint | undefined;
  private saving: Promise<void> = Promise.resolve();

  constructor(
    readonly file: string,
    private readonly source: ChainSource,
  ) {}

  /** Saves the present state if blocks were mined since the last save. Saves run one after the other. */
  save(): Promise<void> {
    const next = this.saving.then(async () => {
      const block = await this.source.blockNumber();
      if (block === this.savedBlock) return;
      const dump = await this.source.dumpState();
      replaceFile(this.file, gunzipSync(Buffer.from(dump.slice(2), 'hex')));
      this.savedBlock = block;
    });
    this.saving = next.catch(() => undefined);
    return next;
  }
}
