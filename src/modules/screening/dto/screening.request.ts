import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { TextLength } from '../../../http/request/input.decorators.js';

export class AcceptReviewRequest {
  @ApiProperty({
    description: 'required: why the review is accepted; written to the audit log',
    example: 'Another person of the same name',
  })
  @IsOptional()
  @TextLength(0, 500)
  reason?: string;
}
