import type { AcceptedReview } from './domain/reviews.js';
import type { AcceptedReviewResponse } from './dto/screening.response.js';

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
