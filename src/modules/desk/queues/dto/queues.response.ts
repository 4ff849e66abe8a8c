import { Count, Instant, MoneyText, Nested } from '../../../../http/openapi/fields.js';

export class QueueCountResponse {
  @Count({ description: 'records that wait' })
  count!: number;
  @Instant({ nullable: true, description: 'since when the oldest one waits; null without one' })
  oldest!: string | null;
}

export class WithdrawalQueueResponse extends QueueCountResponse {
  @MoneyText({ description: 'sum in USDC' })
  amount!: string;
}

export class WithdrawalQueuesResponse {
  @Nested(() => WithdrawalQueueResponse) pending!: WithdrawalQueueResponse;
  @Nested(() => WithdrawalQueueResponse) approved!: WithdrawalQueueResponse;
  @Nested(() => WithdrawalQueueResponse) processing!: WithdrawalQueueResponse;
  @Nested(() => WithdrawalQueueResponse, { description: 'whose amount is still reserved' })
  failed!: WithdrawalQueueResponse;
}

/** A queue is null if the caller may not read it. */
const queue = (description: string) => Nested(() => QueueCountResponse, { nullable: true, description });

export class QueuesResponse {
  @Nested(() => WithdrawalQueuesResponse, {
    nullable: true,
    description: 'null without withdrawals:read, as each queue that the caller may not read',
  })
  withdrawals!: WithdrawalQueuesResponse | null;
  @queue('pending ones that the caller may decide')
  approvals!: QueueCountResponse | null;
  @queue('open ones')
  alerts!: QueueCountResponse | null;
  @queue('unresolved breaks of reconciliations; oldest: of its reconciliation')
  breaks!: QueueCountResponse | null;
  @queue('users and addresses of open withdrawals whose verdict is review and not accepted')
  screening!: QueueCountResponse | null;
  @queue('yield reports that wait for a decision')
  yieldReports!: QueueCountResponse | null;
  @queue('investments that wait for approval')
  investments!: QueueCountResponse | null;
  @queue('transaction requests that are not carried out')
  transfers!: QueueCountResponse | null;
}
