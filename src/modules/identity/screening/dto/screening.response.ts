import { Choice, Instant, Text, TextList, Uuid } from '../../../../http/openapi/fields.js';

export class AcceptedReviewResponse {
  @Uuid({ description: 'of the withdrawal or the user' }) id!: string;
  @Choice(['review']) screening!: string;
  @TextList({
    description: "the provider's references of the verdicts that were accepted",
    example: ['scr-1'],
  })
  references!: string[];
  @Text() reason!: string;
  @Instant() acceptedAt!: string;
  @Text({ example: 'admin@example.com' }) acceptedBy!: string;
}
