import type { Response } from 'express';
import { type Approval, RequestedApproval } from './approvals.types.js';
import { ApprovalResponse } from './dto/approval.response.js';
import { toResponse } from '../../../http/response/to-response.js';

/** Answers the result of a change or, with 202, the approval for which the change waits. */
export function toChangeResponse<Result, Data>(
  response: Response,
  result: Result | RequestedApproval,
  toData: (result: Result) => Data,
): Data | ApprovalResponse {
  if (!(result instanceof RequestedApproval)) return toData(result);
  response.status(202);
  return toApprovalResponse(result.approval);
}

export function toApprovalResponse(approval: Approval): ApprovalResponse {
  const { before, after } = approval;
  return toResponse(ApprovalResponse, approval, { change: { before, after } });
}
