import { Injectable } from '@nestjs/common';
import { throwError } from '../../../common/errors/domain-error.js';
import { AppConfig } from '../../../config/app-config.js';
import { RateLimitStorage } from '../../../http/throttling/rate-limit-storage.js';
import { Meters } from '../../../observability/meters.js';
import { NodePriorityService } from '../chain/node-state.service.js';
import { limitExceeded, type AskNode, type CheckedCall, type RpcOutcome } from './domain/rpc-messages.js';
import { RpcNodeClient, TIMEOUT_MS } from './rpc-node.client.js';

interface Waiter {
  readonly caller: string;
  readonly begin: () => void;
}

/** Running requests of all callers together. */
const MAX_RUNNING = 4;
/** Waiting requests of one caller. */
const MAX_WAITING = 20;
const MAX_WAIT_MS = 5000;

/** Limits concurrent requests to the node: each caller runs one at a time, in the order of arrival. */
class CallerSlots {
  private readonly running = new Set<string>();
  private readonly waiting: Waiter[] = [];

  /** The result of `work`; undefined if no slot became free in time, or if too many requests of the caller are waiting. */
  async runInSlot<Result>(caller: string, work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.isFree(caller)) this.running.add(caller);
    else if (!(await this.waitForSlot(caller))) return undefined;
    try {
      return await work();
    } finally {
      this.running.delete(caller);
      this.startNext();
    }
  }

  private isFree(caller: string): boolean {
    return this.running.size < MAX_RUNNING && !this.running.has(caller);
  }

  private async waitForSlot(caller: string): Promise<boolean> {
    if (this.waiting.filter((waiter) => waiter.caller === caller).length >= MAX_WAITING) return false;
    return new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        resolve(false);
      }, MAX_WAIT_MS).unref();
      const waiter: Waiter = {
        caller,
        begin: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      this.waiting.push(waiter);
    });
  }

  private startNext(): void {
    for (const waiter of [...this.waiting]) {
      if (!this.isFree(waiter.caller)) continue;
      this.waiting.splice(this.waiting.indexOf(waiter), 1);
      this.running.add(waiter.caller);
      waiter.begin();
    }
  }
}

const WINDOW_MS = 60_000;

const NODE_TIME_USED_UP = limitExceeded('The node time of your IP address is used up: try again in a minute');
/** The error of every call of a request that gets no slot. */
export const TOO_MANY_WAITING = limitExceeded(
  'Too many requests at once: wait for the answers to your earlier requests, or try again in a few seconds',
);

/**
 * Limits the concurrent requests, and the node time per minute, of each caller (network address) of the RPC proxy. The
 * platform's own reads have priority.
 */
@Injectable()
export class NodeAccessService {
  private readonly slots = new CallerSlots();
  private readonly limitMs: number;

  constructor(
    { RPC_NODE_SECONDS }: AppConfig,
    private readonly node: RpcNodeClient,
    private readonly priority: NodePriorityService,
    private readonly usedTime: RateLimitStorage,
    private readonly meters: Meters,
  ) {
    this.limitMs = RPC_NODE_SECONDS * 1000;
  }

  /** False for ten minutes after the node has refused a batch. */
  get acceptsBatches(): boolean {
    return this.node.acceptsBatches;
  }

  /** Runs `work` in a slot of the caller and returns its result; undefined if there are too many requests at once. */
  async runForCaller<Result>(
    caller: string,
    work: (ask: AskNode) => Promise<Result>,
  ): Promise<Result | undefined> {
    return this.slots.runInSlot(caller, () => work((calls) => this.askNode(caller, calls)));
  }

  private async askNode(caller: string, calls: readonly CheckedCall[]): Promise<RpcOutcome[] | undefined> {
    const leftMs = await this.readTimeLeftMs(caller);
    if (leftMs <= 0) return this.refuseCalls(calls);
    if (!(await this.priority.waitForPlatformReads(TIMEOUT_MS))) return throwError('BLOCKCHAIN_ERROR');
    const beganMs = performance.now();
    const usedUp = AbortSignal.timeout(leftMs);
    try {
      return await this.priority.runForwarded((signal) =>
        this.node.forward(calls, AbortSignal.any([signal, usedUp])),
      );
    } catch (error) {
      if (usedUp.aborted) return this.refuseCalls(calls);
      throw error;
    } finally {
      await this.usedTime.addPoints(keyOf(caller), WINDOW_MS, Math.ceil(performance.now() - beganMs));
    }
  }

  private refuseCalls(calls: readonly CheckedCall[]): RpcOutcome[] {
    this.meters.count('rate-limit-refusal', 'node-time');
    return calls.map(() => ({ error: NODE_TIME_USED_UP }));
  }

  /** The node time that the caller may still use in this minute; 0 or less when it is used up. */
  private async readTimeLeftMs(caller: string): Promise<number> {
    const usedMs = (await this.usedTime.findPoints(keyOf(caller)))?.consumedPoints ?? 0;
    return this.limitMs - usedMs;
  }
}

const keyOf = (caller: string): string => `node-time:${caller}`;
