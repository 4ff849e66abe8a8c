import { ApiProperty } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import { LineInput, TextLength } from '../../../http/request/input.decorators.js';
import type { ErrorCode } from '../../../common/errors/error-catalogue.js';
import {
  ANNOUNCEMENT_TYPES,
  AUDIENCES,
  type AnnouncementType,
  type Audience,
} from '../notifications.constants.js';

export class CreateAnnouncementRequest {
  static readonly missingCode: ErrorCode = 'VALIDATION_ERROR';

  @ApiProperty({
    description: 'promotion: only to users whose preference notifications.push is on',
    example: 'system',
  })
  @IsIn(ANNOUNCEMENT_TYPES)
  type!: AnnouncementType;

  @LineInput({ maxLength: 120, example: 'Maintenance on Sunday' })
  @Matches(/\S/, { message: 'must not be blank' })
  title!: string;

  @ApiProperty({ example: 'Withdrawals are carried out on Monday morning.' })
  @Matches(/\S/, { message: 'must not be blank' })
  @TextLength(1, 2000)
  message!: string;

  @ApiProperty({ description: 'investors: users with an investment that is not closed' })
  @IsIn(AUDIENCES)
  audience!: Audience;
}
