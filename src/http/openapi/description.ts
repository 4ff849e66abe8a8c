/** `info.description` of the OpenAPI document, in Markdown. */
export const DESCRIPTION = `Deposits, yield strategies and withdrawals of stablecoins. Amounts of money are decimal strings, times are ISO 8601, days are UTC.

**Signing in.** \`POST /api/auth/idp/login\` exchanges a JWT of the identity provider for a token, which requests send as
\`Authorization: Bearer\`. \`session\` in its answer says which of its two forms it has: \`bearer\` with \`token\`, \`cookie\` with
\`csrfToken\`. \`POST /api/auth/refresh\` exchanges its \`refreshToken\` for new tokens. Admins have \`POST /api/admin/auth/login\` and, with
a token that is still valid, \`POST /api/admin/auth/refresh\`. An admin with a second factor is answered \`SECOND_FACTOR_REQUIRED\` and sends the request again with
\`secondFactor\`. \`x-scope\` names the scope that an API key needs; a key is sent like a token.

**Step-ups.** Operations with \`X-Step-Up\` answer callers with a second factor \`STEP_UP_REQUIRED\`, with the action; changes that matter little need
none. \`POST /api/user/step-up\` with the action and its details, then \`POST /api/user/step-up/{id}/verify\` with the second factor, answers the
token for \`X-Step-Up\`. Admins have the same under \`/api/admin\`.

**Answers.** A success has \`success: true\` and \`data\`. An error has \`success: false\` and \`error\` with a \`code\`, a \`message\` and, depending on
the code, \`details\`; a schema named as the code describes it. Every answer has a \`traceId\` for questions to support.

**Idempotency.** Operations with \`Idempotency-Key\` answer a retry with the same key as the first request, for 24 hours. A key belongs to a
caller and an operation. With another body it is \`IDEMPOTENCY_KEY_REUSED\`, and while the first request is under way \`IDEMPOTENCY_IN_PROGRESS\`.
A refused request leaves no answer: the key can be used again.

**Limits.** \`x-rate-limit\` names the class in which an operation counts. \`X-RateLimit-*\` state how many requests remain; \`RATE_LIMIT_EXCEEDED\` and
503 come with \`Retry-After\`. Bodies have at most 100 kB.

**Pages.** Lists take \`page\` from 1 and \`limit\` up to 100, and answer \`pagination\`. To read a whole list, send its \`next\` as \`cursor\` until it
is null: rows that are added or removed meanwhile do not move the other ones. Query parameters and fields of bodies that an operation does
not have are refused with \`VALIDATION_ERROR\`.`;
