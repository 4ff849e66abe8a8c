import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { TextLength } from '../../../../http/request/input.decorators.js';

export class AcceptReviewRequest {
  @ApiProperty({
    description: 'why the review is accepted, for the audit log; without it the answer is REASON_REQUIRED',
    example: 'Another person of the same name',
  })
  @IsOptional()
  @TextLength(0, 500)
  reason?: string;
}
