import { Choice, Instant, Text, TextList, Uuid } from '../../../http/openapi/fields.js';
import type { AcceptedReview } from '../user-screening.service.js';

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

export function toAcceptedReviewResponse(accepted: AcceptedReview): AcceptedReviewResponse {
  const { id, references, reason, acceptedAt, acceptedBy } = accepted;
  return {
    id,
    screening: 'review',
    references: [...references],
    reason,
    acceptedAt: acceptedAt.toISOString(),
    acceptedBy,
  };
}
