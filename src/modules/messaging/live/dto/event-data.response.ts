import { APPROVAL_KINDS, APPROVAL_STATUSES } from '../../../identity/approvals/approvals.types.js';
import { EnumField, MoneyField, StringField, UuidField } from '../../../../http/openapi/fields.js';
import {
  DepositEventData,
  InvestmentEventData,
  WithdrawalEventData,
} from '../../webhooks/dto/event-data.response.js';

export class BalanceChangedData {
  @MoneyField({ description: 'available + invested' }) total!: string;
  @MoneyField() available!: string;
  @MoneyField({ description: 'principal of open investments' }) invested!: string;
  @MoneyField({ description: 'held for withdrawals in progress; not part of the total' }) reserved!: string;
}

export class AdminDepositEventData extends DepositEventData {
  @UuidField() userId!: string;
}

export class AdminWithdrawalEventData extends WithdrawalEventData {
  @UuidField() userId!: string;
}

export class AdminInvestmentEventData extends InvestmentEventData {
  @UuidField() userId!: string;
}

export class IntegrityViolationData {
  @UuidField({ description: 'the run of the integrity check' }) runId!: string;
}

export class ApprovalEventData {
  @UuidField() id!: string;
  @EnumField(APPROVAL_KINDS) kind!: string;
  @EnumField(APPROVAL_STATUSES) status!: string;
  @StringField({ description: 'kind of the record that the change concerns', example: 'user' })
  subjectType!: string;
  @StringField() subjectId!: string;
  @StringField({ example: 'ann@example.org', description: 'names the record for people' })
  subjectLabel!: string;
  @StringField({ example: 'admin@example.com' }) requestedBy!: string;
  @StringField({ nullable: true, description: 'null while it is pending' }) decidedBy!: string | null;
}

export class RequestAssignedData {
  @UuidField({ description: 'the transaction request' }) id!: string;
  @StringField({ description: 'e-mail address of the admin' }) assignedTo!: string;
}
