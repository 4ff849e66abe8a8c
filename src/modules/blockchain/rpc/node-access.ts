import { Injectable } from '@nestjs/common';
import { fail } from '../../../common/errors/domain-error.js';
import { OwnReads } from '../own-reads.js';
import { CallerSlots } from './caller-slots.js';
import { NodeDoor, TIMEOUT_MS, type BuiltCall } from './node-door.js';
import { NodeTime } from './node-time.js';
import { beyond, type RpcOutcome } from './rpc-messages.js';

const TIME_IS_SPENT = beyond('The time of the node for your address is used up: try again in a minute');
/** Answers every call of a caller with too many requests at once. */
export const NO_SLOT = beyond('Too many of your requests at once: wait for the answers of the earlier ones');

/** Asks the node for a caller; the error when the caller has used up its share. Throws BLOCKCHAIN_ERROR. */
export type AskNode = (calls: readonly BuiltCall[]) => Promise<RpcOutcome[]>;

/** Shares the node among the callers of the RPC proxy, after the platform's own reads. */
@Injectable()
export class NodeAccess {
  private readonly slots = new CallerSlots();

  constructor(
    private readonly node: NodeDoor,
    private readonly ownReads: OwnReads,
    private readonly nodeTime: NodeTime,
  ) {}

  /** The result of `work`; undefined for a caller with too many requests at once. */
  async runForCaller<Result>(
    caller: string,
    work: (ask: AskNode) => Promise<Result>,
  ): Promise<Result | undefined> {
    return this.slots.runInSlot(caller, () => work((calls) => this.ask(caller, calls)));
  }

  private async ask(caller: string, calls: readonly BuiltCall[]): Promise<RpcOutcome[]> {
    const leftMs = await this.nodeTime.msLeftOf(caller);
    if (leftMs <= 0) return calls.map(() => ({ error: TIME_IS_SPENT }));
    if (!(await this.ownReads.areAnswered(TIMEOUT_MS))) return fail('BLOCKCHAIN_ERROR');
    const beganMs = performance.now();
    const timeoutMs = Math.min(TIMEOUT_MS, leftMs);
    try {
      return await this.ownReads.runForwarded((signal) => this.node.ask(calls, { timeoutMs, signal }));
    } finally {
      await this.nodeTime.charge(caller, Math.ceil(performance.now() - beganMs));
    }
  }
}
