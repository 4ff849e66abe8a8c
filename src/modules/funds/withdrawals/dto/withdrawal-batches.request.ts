import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsUUID, ValidateNested } from 'class-validator';
import {
  DateInput,
  ListFormatInput,
  TextLength,
  TransferHashInput,
  type ListFormat,
} from '../../../../http/request/input.decorators.js';
import { BULK_LIMIT, WithdrawalIdsInput } from './withdrawals.request.js';

export class PaymentFileQuery {
  @ListFormatInput()
  format: ListFormat = 'json';

  @DateInput({ optional: true, description: 'takenAt is this instant or later' })
  takenAfter?: string;
}

export class PaidWithdrawalRequest {
  @ApiProperty({ description: 'id of the withdrawal' })
  @IsUUID('loose', { message: 'must be a UUID' })
  id!: string;

  @TransferHashInput()
  txHash!: string;
}

@ApiExtraModels(PaidWithdrawalRequest)
export class BulkCompleteRequest {
  @ApiProperty({
    type: 'array',
    items: { $ref: getSchemaPath(PaidWithdrawalRequest) },
    description: 'the paid withdrawals',
  })
  @IsArray()
  @ArrayMinSize(1, { message: 'must name at least one withdrawal' })
  @ArrayMaxSize(BULK_LIMIT, { message: `must name at most ${BULK_LIMIT} withdrawals` })
  @ArrayUnique(({ id }: PaidWithdrawalRequest) => String(id).toLowerCase(), {
    message: 'must name each withdrawal once',
  })
  @ValidateNested({ each: true })
  @Type(() => PaidWithdrawalRequest)
  items!: PaidWithdrawalRequest[];
}

export class BulkRejectRequest {
  @WithdrawalIdsInput()
  ids!: string[];

  @ApiProperty({ description: 'shown to the users' })
  @TextLength(1, 500)
  reason!: string;
}
