import {
  EnumField,
  InstantField,
  ListField,
  MoneyField,
  StringField,
  StringListField,
  UuidField,
} from '../../../../http/openapi/fields.js';
import { EVM_NETWORKS } from '../../addresses/domain/destination.js';

export class RefusedTakeResponse {
  @UuidField() id!: string;
  @StringField({ example: 'INVALID_STATE' }) code!: string;
  @StringField() message!: string;
}

export class BulkTakeResponse {
  @StringListField({ description: 'ids of the withdrawals that this request has taken' }) taken!: string[];
  @ListField(() => RefusedTakeResponse) failed!: RefusedTakeResponse[];
}

export class PaymentFileLineResponse {
  @UuidField() id!: string;
  @MoneyField({ description: 'to be paid' }) amount!: string;
  @EnumField(['USDC']) currency!: string;
  @EnumField(EVM_NETWORKS) network!: string;
  @StringField({ example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' }) toAddress!: string;
  @StringField({ example: 'ann@example.org' }) userEmail!: string;
  @InstantField() takenAt!: string;
}

export class RefusedOutcomeResponse extends RefusedTakeResponse {
  @UuidField({
    optional: true,
    description: 'with FOUR_EYES_REQUIRED: the approval for which the change waits, if it was requested',
  })
  approvalId?: string;
}

export class BulkCompleteResponse {
  @StringListField({
    description:
      'ids of the withdrawals that are completed, by this or an earlier request of the caller with this hash',
  })
  completed!: string[];
  @ListField(() => RefusedOutcomeResponse) failed!: RefusedOutcomeResponse[];
}

export class BulkRejectResponse {
  @StringListField({
    description:
      'ids of the withdrawals that are rejected, by this or an earlier request of the caller for this reason',
  })
  rejected!: string[];
  @ListField(() => RefusedOutcomeResponse) failed!: RefusedOutcomeResponse[];
}
