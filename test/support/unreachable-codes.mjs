/** Codes of the catalogue that no route answers, and why. A full test run fails when one of them becomes reachable. */
export const UNREACHABLE = {
  UNAUTHORIZED: 'TOKEN_MISSING, TOKEN_EXPIRED and TOKEN_INVALID say which of them it is (D12)',
  AUTH_SESSION_ERROR: "the identity provider's tokens are verified here: its sessions are never asked for",
  DEPOSIT_NOT_FOUND: 'no route names a deposit by its id',
  GAS_ESTIMATION_FAILED: 'the service sends no transaction of its own',
  TRANSACTION_FAILED: 'a reverted transaction is a state of its deposit, not a refusal',
  INVALID_STATUS: 'admins do not change users yet',
  REASON_REQUIRED: 'admins do not change users yet',
  ACTIVE_INVESTMENTS_EXIST: 'admins do not change users yet',
  DEPOSIT_NETWORK_ERROR: 'the chain has no routes yet',
  RPC_METHOD_NOT_ALLOWED: 'the chain has no routes yet',
  INSUFFICIENT_FAUCET_BALANCE: 'there is no faucet yet',
  FAUCET_DISABLED: 'there is no faucet yet',
};
