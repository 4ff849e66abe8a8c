/** Error codes that no route returns, with the reason. A full test run fails if one of them becomes reachable. */
export const UNREACHABLE = {
  UNAUTHORIZED: 'TOKEN_MISSING, TOKEN_EXPIRED and TOKEN_INVALID are returned instead',
  AUTH_SESSION_ERROR: "the service verifies the identity provider's tokens and never requests its sessions",
  GAS_ESTIMATION_FAILED: 'the service sends only faucet transactions, which have a fixed gas limit',
  TRANSACTION_FAILED: 'a reverted transaction is a state of its deposit or payout, not an error response',
};
