/** Codes of the catalogue that no route answers, and why. A full test run fails when one of them becomes reachable. */
export const UNREACHABLE = {
  UNAUTHORIZED: 'TOKEN_MISSING, TOKEN_EXPIRED and TOKEN_INVALID say which of them it is',
  AUTH_SESSION_ERROR: "the identity provider's tokens are verified here: its sessions are never asked for",
  DEPOSIT_NOT_FOUND: 'no route names a deposit by its id',
  GAS_ESTIMATION_FAILED: 'what the faucet sends has a fixed bound of gas; nothing else is sent',
  TRANSACTION_FAILED: 'a reverted transaction is a state of its deposit or payout, not a refusal',
};
