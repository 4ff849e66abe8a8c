import { Injectable } from '@nestjs/common';
import { realNow } from '../../common/clock.js';
import { dayOf } from '../../common/days.js';
import { WriteBehindBuffer } from '../../common/write-behind-buffer.js';
import { networkOf } from '../throttling/caller-address.js';
import type { Principal } from './principal.js';

/** After a use of a key from a network is stored, the next one from this network is stored so much later at the earliest. */
const WRITE_INTERVAL_MS = 30_000;
/** Bounds of the first uses that wait for the next run of the job `api-key-uses`, a second later. */
const MAX_NETWORKS_PER_KEY = 10;
const MAX_KEYS = 10_000;
/** Above this number later uses are dropped, so that the stored time of the last use is too early. */
const MAX_LATER_USES = 10_000;
/** The size at which `storedAtMs` is emptied: the next use of each key and network then counts as the first one. */
const MAX_REMEMBERED_NETWORKS = 50_000;

/** The latest permitted request with an API key from one network. */
export interface ApiKeyUse {
  readonly keyId: string;
  /** For uses from more networks at once than are recorded one by one: `many` and the day. */
  readonly network: string;
  readonly address: string;
  readonly at: Date;
  readonly isFromMany?: true;
}

/**
 * The uses of API keys that the module api-keys has not stored yet. A request that a guard refuses is not a use. The first use
 * from a network is reported to the user, so that each key has room of its own: further networks of a key are recorded together as `many`,
 * and first uses are dropped only beyond MAX_KEYS keys.
 */
@Injectable()
export class ApiKeyUses {
  /** By key and network: the latest use from each network of which this process has stored none. */
  private readonly first = new Map<string, Map<string, ApiKeyUse>>();
  private readonly later = new WriteBehindBuffer<ApiKeyUse>(MAX_LATER_USES);
  /** When this process last stored a use of a key from a network. */
  private readonly storedAtMs = new Map<string, number>();
  private dropped = 0;

  /** Ignores principals without an API key. */
  recordUse(principal: Principal, address = 'unknown'): void {
    if (principal.type !== 'user' || !principal.apiKey) return;
    const use = { keyId: principal.apiKey.id, network: networkOf(address), address, at: realNow() };
    if (this.isFirstUse(use)) this.recordFirstUse(use);
    else this.later.setValue(nameOf(use), use);
  }

  /** All first uses, and the later uses from networks of which the last stored one is half a minute old. */
  get dueUses(): ApiKeyUse[] {
    const latestStoredMs = performance.now() - WRITE_INTERVAL_MS;
    const later = this.later.entries.filter(
      ([name]) => (this.storedAtMs.get(name) ?? -Infinity) <= latestStoredMs,
    );
    return [...this.firstUses, ...later.map(([, use]) => use)];
  }

  get allUses(): ApiKeyUse[] {
    return [...this.firstUses, ...this.later.entries.map(([, use]) => use)];
  }

  /** Removes uses that are stored, unless the network was used again since. */
  removeStored(uses: readonly ApiKeyUse[]): void {
    if (this.storedAtMs.size >= MAX_REMEMBERED_NETWORKS) this.storedAtMs.clear();
    for (const use of uses) {
      this.storedAtMs.set(nameOf(use), performance.now());
      const usesOfKey = this.first.get(use.keyId);
      if (usesOfKey?.get(use.network) === use) usesOfKey.delete(use.network);
      if (usesOfKey?.size === 0) this.first.delete(use.keyId);
    }
    this.later.removeStored(uses.map((use) => [nameOf(use), use]));
  }

  /** How many first uses were dropped since the last call, because 10,000 other keys were used within a second. */
  takeDropped(): number {
    const { dropped } = this;
    this.dropped = 0;
    return dropped;
  }

  private get firstUses(): ApiKeyUse[] {
    return [...this.first.values()].flatMap((usesOfKey) => [...usesOfKey.values()]);
  }

  /** A key and network are either in `first` or in `later`: one statement stores both, and cannot store a pair twice. */
  private isFirstUse(use: ApiKeyUse): boolean {
    if (this.first.get(use.keyId)?.has(use.network)) return true;
    return !this.storedAtMs.has(nameOf(use)) && this.later.valueOf(nameOf(use)) === undefined;
  }

  private recordFirstUse(use: ApiKeyUse): void {
    const usesOfKey = this.first.get(use.keyId) ?? new Map<string, ApiKeyUse>();
    if (usesOfKey.size === 0 && this.first.size >= MAX_KEYS) {
      this.dropped++;
      return;
    }
    this.first.set(use.keyId, usesOfKey);
    const isOneOfMany = !usesOfKey.has(use.network) && usesOfKey.size >= MAX_NETWORKS_PER_KEY;
    const recorded: ApiKeyUse = isOneOfMany
      ? { ...use, network: `many ${dayOf(use.at)}`, isFromMany: true }
      : use;
    usesOfKey.set(recorded.network, recorded);
  }
}

const nameOf = ({ keyId, network }: ApiKeyUse) => `${keyId} ${network}`;
