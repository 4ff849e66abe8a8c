import { IntegerField, InstantField, MoneyField, NestedField } from '../../../../http/openapi/fields.js';

export class QueueCountResponse {
  @IntegerField({ description: 'records that wait' })
  count!: number;
  @InstantField({ nullable: true, description: 'since when the oldest one waits; null without one' })
  oldest!: string | null;
}

export class WithdrawalQueueResponse extends QueueCountResponse {
  @MoneyField({ description: 'sum in USDC' })
  amount!: string;
}

export class WithdrawalQueuesResponse {
  @NestedField(() => WithdrawalQueueResponse) pending!: WithdrawalQueueResponse;
  @NestedField(() => WithdrawalQueueResponse) approved!: WithdrawalQueueResponse;
  @NestedField(() => WithdrawalQueueResponse) processing!: WithdrawalQueueResponse;
  @NestedField(() => WithdrawalQueueResponse, { description: 'whose amount is still reserved' })
  failed!: WithdrawalQueueResponse;
}

/** A queue is null if the caller may not read it. */
const queue = (description: string) => NestedField(() => QueueCountResponse, { nullable: true, description });

export class QueuesResponse {
  @NestedField(() => WithdrawalQueuesResponse, {
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
