import type { AcceptedReview } from './domain/reviews.js';
import { AcceptedReviewResponse } from './dto/screening.response.js';
import { toResponse } from '../../../http/response/to-response.js';

export function toAcceptedReviewResponse(accepted: AcceptedReview): AcceptedReviewResponse {
  return toResponse(AcceptedReviewResponse, accepted, { screening: 'review' });
}
