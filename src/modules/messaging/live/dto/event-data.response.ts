import { APPROVAL_KINDS } from '../../../identity/approvals/approvals.types.js';
import { APPROVAL_STATUSES } from '../../../identity/approvals/domain/approval.state-machine.js';
import { Choice, MoneyText, Text, Uuid } from '../../../../http/openapi/fields.js';
import {
  DepositEventData,
  InvestmentEventData,
  WithdrawalEventData,
} from '../../webhooks/dto/event-data.response.js';

export class BalanceChangedData {
  @MoneyText({ description: 'available + invested' }) total!: string;
  @MoneyText() available!: string;
  @MoneyText({ description: 'principal of open investments' }) invested!: string;
  @MoneyText({ description: 'held for withdrawals in progress; not part of the total' }) reserved!: string;
}

export class AdminDepositEventData extends DepositEventData {
  @Uuid() userId!: string;
}

export class AdminWithdrawalEventData extends WithdrawalEventData {
  @Uuid() userId!: string;
}

export class AdminInvestmentEventData extends InvestmentEventData {
  @Uuid() userId!: string;
}

export class IntegrityViolationData {
  @Uuid({ description: 'the run of the integrity check' }) runId!: string;
}

export class ApprovalEventData {
  @Uuid() id!: string;
  @Choice(APPROVAL_KINDS) kind!: string;
  @Choice(APPROVAL_STATUSES) status!: string;
  @Text({ description: 'kind of the record that the change concerns', example: 'user' }) subjectType!: string;
  @Text() subjectId!: string;
  @Text({ example: 'ann@example.org', description: 'names the record for people' }) subjectLabel!: string;
  @Text({ example: 'admin@example.com' }) requestedBy!: string;
  @Text({ nullable: true, description: 'null while it is pending' }) decidedBy!: string | null;
}

export class RequestAssignedData {
  @Uuid({ description: 'the transaction request' }) id!: string;
  @Text({ description: 'e-mail address of the admin' }) assignedTo!: string;
}
