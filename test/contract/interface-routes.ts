// The interface: the routes that the first version of the API promised, written by hand and compared with the code by
// interface.spec.ts. Columns: method, path, access, permission (or -), status, rate limit class | error codes. Access
// is that of src/http/auth/route.ts, `idp` for the identity provider's JWT, or `signature` for signed callbacks.
export const INTERFACE_ROUTES = `
POST   /api/auth/idp/login                           idp          -                   200     session | VALIDATION_ERROR SUPABASE_JWT_INVALID EMAIL_MANDATORY EMAIL_NOT_VERIFIED USER_CREATION_ERROR JWT_GENERATION_ERROR
GET    /api/auth/user/profile                        user         -                   200     user | UNAUTHORIZED EMAIL_MANDATORY USER_NOT_FOUND INTERNAL_SERVER_ERROR
POST   /api/auth/logout                              any          -                   200     session | UNAUTHORIZED INTERNAL_SERVER_ERROR
GET    /api/auth/status                              optional     -                   200     public |
POST   /api/admin/auth/login                         none         -                   200     sign-in | INVALID_EMAIL INVALID_CREDENTIALS ACCOUNT_DISABLED INSUFFICIENT_PERMISSIONS TOO_MANY_ATTEMPTS
POST   /api/admin/auth/refresh                       admin        -                   200     admin | TOKEN_EXPIRED INVALID_REFRESH_TOKEN REFRESH_TOKEN_REVOKED
GET    /api/admin/auth/verify                        admin        -                   200     admin | TOKEN_MISSING TOKEN_EXPIRED TOKEN_INVALID NOT_ADMIN_TOKEN
POST   /api/admin/auth/logout                        admin        -                   200     admin | TOKEN_MISSING TOKEN_INVALID
GET    /api/auth/check                               any          -                   200     user |
GET    /api/auth/profile                             any          -                   200     user |
POST   /api/auth/refresh                             none         -                   200     session |
POST   /api/auth/test-refresh                        none         -                   200     session |
GET    /api/auth/admin/profile                       admin        -                   200     admin |
GET    /api/auth/admin/health                        none         -                   200     public |
POST   /api/admin/auth/register                      admin        -                   201     admin |
POST   /api/admin/auth/validate-token                none         -                   200     public |
GET    /api/auth/cookie/verify                       cookie       -                   200     user |
GET    /api/auth/cookie/profile                      cookie       -                   200     user |
POST   /api/auth/cookie/logout                       cookie       -                   200     session |
POST   /api/auth/cookie/admin/login                  none         -                   200     sign-in |
POST   /api/auth/cookie/admin/logout                 cookie-admin -                   200     admin |
GET    /api/auth/cookie/admin/profile                cookie-admin -                   200     admin |
GET    /api/auth/cookie/admin/verify                 cookie-admin -                   200     admin |
POST   /api/auth/wallet/check                        none         -                   200     session | INVALID_WALLET_ADDRESS
POST   /api/auth/wallet/connect                      user         -                   200     session | SIGNATURE_INVALID NONCE_EXPIRED
POST   /api/auth/wallet/login                        none         -                   200     session | SIGNATURE_INVALID NONCE_EXPIRED
POST   /api/auth/wallet/register                     idp          -                   201     session | SIGNATURE_INVALID NONCE_EXPIRED
GET    /api/user/balance                             user         -                   200     user | TOKEN_EXPIRED TOKEN_INVALID USER_NOT_FOUND BLOCKCHAIN_ERROR
GET    /api/user/transactions                        user         -                   200     user | INVALID_DATE_RANGE INVALID_PAGINATION INVALID_PAGE INVALID_LIMIT TOKEN_EXPIRED TOKEN_INVALID
GET    /api/user/transactions/{id}                   user         -                   200     user | TRANSACTION_NOT_FOUND FORBIDDEN TOKEN_EXPIRED
GET    /api/user/dashboard                           user         -                   200     user | TOKEN_EXPIRED TOKEN_INVALID USER_NOT_FOUND PARTIAL_DATA_AVAILABLE
POST   /api/user/investments                         user         -                   201     user | INVALID_AMOUNT INSUFFICIENT_BALANCE STRATEGY_NOT_AVAILABLE INVALID_STRATEGY DUPLICATE_INVESTMENT
GET    /api/user/investments                         user         -                   200     user | INVALID_PAGINATION
GET    /api/user/investments/performance             user         -                   200     user | UNAUTHORIZED INTERNAL_ERROR
GET    /api/user/investments/{id}                    user         -                   200     user | PERMISSION_DENIED INVESTMENT_NOT_FOUND
DELETE /api/user/investments/{id}                    user         -                   200     user | PERMISSION_DENIED INVESTMENT_NOT_FOUND INVESTMENT_ALREADY_CLOSED INVESTMENT_LOCKED
POST   /api/user/investments/{id}/cancel             user         -                   200     user | PERMISSION_DENIED INVESTMENT_NOT_FOUND INVESTMENT_ALREADY_CLOSED
PUT    /api/user/investments/{id}                    user         -                   200     user | PERMISSION_DENIED INVESTMENT_NOT_FOUND INVESTMENT_ALREADY_CLOSED STRATEGY_NOT_AVAILABLE INVALID_STRATEGY
GET    /api/user/strategies                          user         -                   200     user | TOKEN_EXPIRED TOKEN_INVALID INTERNAL_ERROR
GET    /api/user/strategies/{id}                     user         -                   200     user | VALIDATION_ERROR STRATEGY_NOT_FOUND TOKEN_EXPIRED TOKEN_INVALID
GET    /api/user/strategies/{id}/performance         user         -                   200     user | STRATEGY_NOT_FOUND
GET    /api/user/deposits/address                    user         -                   200     address | TOKEN_EXPIRED CURRENCY_NOT_SUPPORTED NETWORK_NOT_SUPPORTED CRYPTO2B_API_ERROR RATE_LIMIT_EXCEEDED
GET    /api/user/deposits                            user         -                   200     user | INVALID_DATE_RANGE INVALID_PAGINATION TOKEN_EXPIRED
POST   /api/user/blockchain/deposit                  user         -                   201     user | INVALID_TX_HASH INVALID_AMOUNT DUPLICATE_DEPOSIT TOKEN_EXPIRED BLOCKCHAIN_ERROR
POST   /api/user/withdrawals                         user         -                   201     user | VALIDATION_ERROR INVALID_AMOUNT INSUFFICIENT_BALANCE WITHDRAWAL_LIMIT_EXCEEDED WITHDRAWAL_ERROR UNAUTHORIZED
GET    /api/user/withdrawals                         user         -                   200     user | INVALID_PAGINATION
GET    /api/user/withdrawals/{id}                    user         -                   200     user | PERMISSION_DENIED WITHDRAWAL_NOT_FOUND
POST   /api/user/withdrawals/{id}/cancel             user         -                   200     user | PERMISSION_DENIED WITHDRAWAL_NOT_FOUND INVALID_STATE
GET    /api/user/notifications                       user         -                   200     user | INVALID_PAGINATION TOKEN_EXPIRED TOKEN_INVALID
PUT    /api/user/notifications/mark-all-read         user         -                   200     user | TOKEN_EXPIRED NO_UNREAD_NOTIFICATIONS
GET    /api/user/notifications/unread/count          user         -                   200     user | TOKEN_EXPIRED
PUT    /api/user/notifications/{id}/read             user         -                   200     user | TOKEN_EXPIRED PERMISSION_DENIED NOTIFICATION_NOT_FOUND ALREADY_READ
GET    /api/user/balance/history                     user         -                   200     user | INVALID_DATE_RANGE
GET    /api/user/ping                                user         -                   200     user |
GET    /api/user/profile                             user         -                   200     user |
PUT    /api/user/profile                             user         -                   200     user | VALIDATION_ERROR
GET    /api/balance/wallet                           user         -                   200     user | BLOCKCHAIN_ERROR
GET    /api/deposits/status                          none         -                   200     public |
GET    /api/admin/users                              admin        users:read          200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVALID_PAGINATION
POST   /api/admin/users                              admin        users:write         201     admin | TOKEN_EXPIRED PERMISSION_DENIED VALIDATION_ERROR
GET    /api/admin/users/search                       admin        users:read          200     admin | TOKEN_EXPIRED PERMISSION_DENIED
GET    /api/admin/users/{id}                         admin        users:read          200     admin | TOKEN_EXPIRED PERMISSION_DENIED USER_NOT_FOUND
PUT    /api/admin/users/{id}                         admin        users:write         200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVALID_STATUS REASON_REQUIRED USER_NOT_FOUND
DELETE /api/admin/users/{id}                         admin        users:delete        200     admin | TOKEN_EXPIRED PERMISSION_DENIED USER_NOT_FOUND ACTIVE_INVESTMENTS_EXIST
GET    /api/admin/users/{id}/wallets                 admin        users:read          200     admin | TOKEN_EXPIRED PERMISSION_DENIED USER_NOT_FOUND
GET    /api/admin/profile                            admin        -                   200     admin | TOKEN_EXPIRED PERMISSION_DENIED UNAUTHORIZED
DELETE /api/admin/test-data                          admin        *                   200     admin | TOKEN_EXPIRED PERMISSION_DENIED
POST   /api/admin/test-data/cleanup                  admin        *                   200     admin | TOKEN_EXPIRED PERMISSION_DENIED
GET    /api/admin/investments                        admin        investments:read    200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVALID_PAGINATION
GET    /api/admin/investments/summary                admin        investments:read    200     admin | TOKEN_EXPIRED PERMISSION_DENIED
GET    /api/admin/investments/pending                admin        investments:read    200     admin | TOKEN_EXPIRED PERMISSION_DENIED
GET    /api/admin/investments/{id}                   admin        investments:read    200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVESTMENT_NOT_FOUND
PUT    /api/admin/investments/{id}/approve           admin        investments:approve 200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVESTMENT_NOT_FOUND INVALID_STATE
PUT    /api/admin/investments/{id}/reject            admin        investments:approve 200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVESTMENT_NOT_FOUND INVALID_STATE
POST   /api/admin/investments/{id}/close             admin        investments:approve 200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVESTMENT_NOT_FOUND INVESTMENT_ALREADY_CLOSED INVALID_AMOUNT
GET    /api/admin/withdrawals                        admin        withdrawals:read    200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVALID_PAGINATION
GET    /api/admin/withdrawals/pending                admin        withdrawals:read    200     admin | TOKEN_EXPIRED PERMISSION_DENIED
POST   /api/admin/withdrawals/bulk-take              admin        withdrawals:approve 200     admin | TOKEN_EXPIRED PERMISSION_DENIED
GET    /api/admin/withdrawals/{id}                   admin        withdrawals:read    200     admin | TOKEN_EXPIRED PERMISSION_DENIED WITHDRAWAL_NOT_FOUND
POST   /api/admin/withdrawals/{id}/take              admin        withdrawals:approve 200     admin | TOKEN_EXPIRED PERMISSION_DENIED WITHDRAWAL_NOT_FOUND INVALID_STATE
POST   /api/admin/withdrawals/{id}/complete          admin        withdrawals:approve 200     admin | TOKEN_EXPIRED PERMISSION_DENIED WITHDRAWAL_NOT_FOUND INVALID_STATE VALIDATION_ERROR DUPLICATE_TX_HASH
PUT    /api/admin/withdrawals/{id}/approve           admin        withdrawals:approve 200     admin | TOKEN_EXPIRED PERMISSION_DENIED WITHDRAWAL_NOT_FOUND INVALID_STATE
PUT    /api/admin/withdrawals/{id}/execute           admin        withdrawals:approve 200     admin | TOKEN_EXPIRED PERMISSION_DENIED WITHDRAWAL_NOT_FOUND INVALID_STATE
PUT    /api/admin/withdrawals/{id}/reject            admin        withdrawals:approve 200     admin | TOKEN_EXPIRED PERMISSION_DENIED WITHDRAWAL_NOT_FOUND INVALID_STATE
GET    /api/admin/transactions                       admin        transactions:read   200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVALID_PAGINATION
POST   /api/admin/transactions                       admin        transactions:write  201     admin | TOKEN_EXPIRED PERMISSION_DENIED VALIDATION_ERROR
POST   /api/admin/transactions/generate              admin        transactions:write  201     admin | TOKEN_EXPIRED PERMISSION_DENIED
POST   /api/admin/transactions/execute               admin        transactions:write  200     admin | TOKEN_EXPIRED PERMISSION_DENIED
GET    /api/admin/transactions/{id}                  admin        transactions:read   200     admin | TOKEN_EXPIRED PERMISSION_DENIED TRANSACTION_NOT_FOUND
POST   /api/admin/transactions/{id}/approve          admin        transactions:write  200     admin | TOKEN_EXPIRED PERMISSION_DENIED TRANSACTION_NOT_FOUND INVALID_STATE FOUR_EYES_REQUIRED
POST   /api/admin/transactions/{id}/reject           admin        transactions:write  200     admin | TOKEN_EXPIRED PERMISSION_DENIED TRANSACTION_NOT_FOUND INVALID_STATE
POST   /api/admin/transactions/{id}/confirm          admin        transactions:write  200     admin | TOKEN_EXPIRED PERMISSION_DENIED TRANSACTION_NOT_FOUND INVALID_STATE
GET    /api/admin/transaction-requests               admin        transactions:read   200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVALID_PAGINATION
POST   /api/admin/transaction-requests/{id}/complete admin        transactions:write  200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVALID_STATE
GET    /api/admin/strategies                         admin        -                   200     admin | TOKEN_EXPIRED PERMISSION_DENIED UNAUTHORIZED FORBIDDEN INTERNAL_ERROR
PUT    /api/admin/strategies/{id}                    admin        *                   200     admin | TOKEN_EXPIRED PERMISSION_DENIED STRATEGY_NOT_FOUND
GET    /api/admin/dashboard/stats                    admin        dashboard:read      200     admin | TOKEN_EXPIRED PERMISSION_DENIED
GET    /api/admin/dashboard/revenue                  admin        dashboard:read      200     admin | TOKEN_EXPIRED PERMISSION_DENIED
GET    /api/admin/reports/users                      admin        reports:read        200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVALID_DATE_RANGE
GET    /api/admin/reports/investments                admin        reports:read        200     admin | TOKEN_EXPIRED PERMISSION_DENIED INVALID_DATE_RANGE
GET    /api/ping                                     none         -                   200     none |
GET    /api/health                                   none         -                   200/503 none |
GET    /api/health/detailed                          none         -                   200/503 none |
GET    /api/health/database                          none         -                   200/503 none |
GET    /api/health/blockchain                        none         -                   200/503 none |
GET    /api/health/business                          none         -                   200/503 none |
GET    /api/health/resources                         none         -                   200     none |
GET    /api/health/ready                             none         -                   200/503 none |
GET    /api/health/live                              none         -                   200/503 none |
GET    /health                                       none         -                   200/503 none |
GET    /api/version                                  none         -                   200     none |
GET    /api/sla/status                               none         -                   200     public |
GET    /api/sla/report                               none         -                   200     public |
GET    /api/sla/metrics                              none         -                   200     public |
GET    /api/sla/availability                         none         -                   200     public |
GET    /api/sla/response-times                       none         -                   200     public |
GET    /api/sla/error-rate                           none         -                   200     public |
POST   /api/faucet/request                           none         -                   200     faucet | INVALID_WALLET_ADDRESS INVALID_AMOUNT INSUFFICIENT_FAUCET_BALANCE RATE_LIMIT_EXCEEDED BLOCKCHAIN_ERROR FAUCET_DISABLED
GET    /api/faucet/status                            none         -                   200     faucet | FAUCET_DISABLED
GET    /api/faucet/balance                           none         -                   200     faucet | FAUCET_DISABLED
GET    /api/faucet/history                           none         -                   200     faucet | FAUCET_DISABLED
GET    /api/blockchain/status                        none         -                   200     public | BLOCKCHAIN_ERROR
HEAD   /api/blockchain/status                        none         -                   200     public | BLOCKCHAIN_ERROR
GET    /api/blockchain/contracts                     none         -                   200     public |
POST   /api/blockchain/rpc                           none         -                   200     rpc |
GET    /api/blockchain/networks                      none         -                   200     public |
GET    /api/blockchain/networks/{id}/status          none         -                   200     public | DEPOSIT_NETWORK_ERROR BLOCKCHAIN_ERROR
GET    /api/blockchain/deposits                      none         -                   200     public |
HEAD   /api/blockchain/deposits                      none         -                   200     public |
GET    /api/blockchain/websocket/status              none         -                   200     public |
HEAD   /api/blockchain/websocket/status              none         -                   200     public |
POST   /api/webhooks/{provider}/deposit              signature    -                   200     none | WEBHOOK_SIGNATURE_INVALID
POST   /api/webhooks/{provider}/withdrawal           signature    -                   200     none | WEBHOOK_SIGNATURE_INVALID
POST   /api/webhooks/{provider}/yield                signature    -                   200     none | WEBHOOK_SIGNATURE_INVALID
GET    /api/openapi.json                             none         -                   200     public |
GET    /api/docs                                     none         -                   200     none |
GET    /metrics                                      none         -                   200     none |
`;
