import type { SignedReceipt } from '../proofs/domain/signing-key.js';
import type { ReceiptResponse } from './dto/receipt.response.js';

export function toReceiptResponse({ payload, signature }: SignedReceipt): ReceiptResponse {
  return { payload, signature };
}
