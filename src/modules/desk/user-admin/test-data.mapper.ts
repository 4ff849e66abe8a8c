import type { CleanedTestDataResponse, DeletedTestDataResponse } from './dto/admin-users.response.js';
import type { CleanedTestData, DeletedTestData } from './user-admin.types.js';

export function toDeletedTestDataResponse({
  erased,
  anonymised,
  remaining,
}: DeletedTestData): DeletedTestDataResponse {
  return { erased, anonymised, remaining };
}

export function toCleanedTestDataResponse(cleaned: CleanedTestData): CleanedTestDataResponse {
  const { sessions, refreshTokens, idempotencyResults, walletNonces } = cleaned;
  return { sessions, refreshTokens, idempotencyResults, walletNonces };
}
