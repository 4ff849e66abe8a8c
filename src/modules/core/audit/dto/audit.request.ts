import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import {
  DateInput,
  ListFormatInput,
  NAME_CHARACTER,
  type ListFormat,
} from '../../../../http/request/input.decorators.js';
import { OtherNameOf } from '../../../../http/request/other-names.js';
import { PageQuery } from '../../../../http/request/page.query.js';

const NAME = new RegExp(`^${NAME_CHARACTER}{1,320}$`, 'u');
const SUBJECT = new RegExp(`^[\\w-]{1,100}:${NAME_CHARACTER}{1,320}$`, 'u');
const NAME_RULE = 'must be 1 to 320 characters without spaces';

export class AuditQuery extends PageQuery {
  @ApiProperty({
    description: 'e-mail address of the admin; `system` for automatic actions',
    example: 'admin@example.com',
  })
  @IsOptional()
  @Matches(NAME, { message: NAME_RULE })
  admin?: string;

  @ApiProperty({ description: 'action of the admin', example: 'withdrawal.take' })
  @IsOptional()
  @Matches(/^[a-z-]+\.[a-z-]+$/, { message: 'must be an action such as withdrawal.take' })
  action?: string;

  @ApiProperty({ description: 'kind of the record that was changed', example: 'withdrawal' })
  @IsOptional()
  @Matches(/^[\w-]{1,100}$/, { message: 'must be a kind of record such as withdrawal' })
  subjectType?: string;

  @ApiProperty({ description: 'id of the record that was changed' })
  @IsOptional()
  @Matches(NAME, { message: NAME_RULE })
  subjectId?: string;

  @ApiProperty({
    description: 'subjectType and subjectId in one value; takes precedence over both',
    example: 'withdrawal:0198b2f0-5f0e-7cc0-8d6a-0d9f2f6f3b11',
  })
  @IsOptional()
  @Matches(SUBJECT, { message: 'must be type:id' })
  subject?: string;

  @DateInput({
    optional: true,
    description: 'recorded at this instant or later; a date alone is its first instant',
  })
  startDate?: string;

  @OtherNameOf('startDate')
  @DateInput({ optional: true })
  from?: string;

  @DateInput({
    optional: true,
    description: 'recorded at this instant or before; a date alone is the whole day',
  })
  endDate?: string;

  @OtherNameOf('endDate')
  @DateInput({ optional: true })
  to?: string;

  @ListFormatInput()
  format: ListFormat = 'json';
}
