/** `info.description` of the OpenAPI document, in Markdown. */
export const DESCRIPTION = `Deposits, yield strategies and withdrawals of stablecoins. Amounts of money are decimal strings, days are UTC.

**Signing in.** \`POST /api/auth/idp/login\` exchanges a JWT of the identity provider for a token, which requests send as
\`Authorization: Bearer\`. \`session\` in its answer says which of its two forms it has: \`bearer\` with \`token\`, \`cookie\` with
\`csrfToken\`. Admins also have \`POST /api/admin/auth/login\`. An admin with a second factor is answered \`SECOND_FACTOR_REQUIRED\` and sends the
request again with \`secondFactor\`. Operations with \`X-Step-Up\` answer callers with a second factor \`STEP_UP_REQUIRED\`, with the action, unless
they send the token of a step-up for it; changes that matter little need none. \`x-scope\` names the scope that an API key needs.

**Answers.** A success has \`success: true\` and \`data\`. An error has \`success: false\` and \`error\` with a \`code\`, a \`message\` and, depending on
the code, \`details\`; a schema named as the code describes it. Every answer has a \`traceId\` for questions to support.

**Idempotency.** Operations with \`Idempotency-Key\` answer a retry with the same key as the first request, for 24 hours. A key belongs to a
caller and an operation. With another body it is \`IDEMPOTENCY_KEY_REUSED\`, and while the first request is under way \`IDEMPOTENCY_IN_PROGRESS\`.
A refused request leaves no answer: the key can be used again.

**Limits.** \`x-rate-limit\` names the class in which an operation counts. \`X-RateLimit-*\` state how many requests remain; \`RATE_LIMIT_EXCEEDED\` and
503 come with \`Retry-After\`. Bodies have at most 100 kB.

**Pages.** Lists take \`page\` from 1 and \`limit\` up to 100, and answer \`pagination\`. Query parameters and fields of bodies that an operation does
not have are refused with \`VALIDATION_ERROR\`.`;
