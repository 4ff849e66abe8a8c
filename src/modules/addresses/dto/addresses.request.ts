import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import { TextLength } from '../../../http/request/input.decorators.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';

function LabelInput(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ example: 'My hardware wallet' }),
    Matches(/^[^\p{Cc}]{1,100}$/u, { message: 'must be 1 to 100 characters on one line' }),
  );
}

export class AddAddressRequest {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @LabelInput()
  label!: string;

  @ApiProperty({
    description:
      '0x and 40 hex digits; the zero address, token contracts, deposit addresses and custody addresses are rejected',
    example: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  })
  @TextLength(0, 500)
  address!: string;

  @ApiProperty({ description: 'ERC20 or BEP20', example: 'ERC20' })
  @TextLength(0, 500)
  network!: string;
}

export class RenameAddressRequest {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @LabelInput()
  label!: string;
}
