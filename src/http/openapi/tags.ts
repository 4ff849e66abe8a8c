/** The tags in the order of the document. The tag of a route is that whose prefix matches most of its path. */
const TAGS: readonly { readonly prefix: RegExp; readonly name: string; readonly description: string }[] = [
  tag('Authentication', /^\/api\/(admin\/)?auth\//, 'Sign-in and sign-out, sessions, wallet sign-in.'),
  tag('Account', /^\/api\/user\//, 'Profile and connection.'),
  tag(
    'Deposits',
    /^\/api\/(user\/)?(deposits|blockchain\/deposit$)/,
    'Deposit addresses and incoming payments.',
  ),
  tag(
    'Balance',
    /^\/api\/(user\/)?(balance|dashboard|limits|statement)/,
    "A user's funds, now and at any past time.",
  ),
  tag('Strategies', /^\/api\/user\/strategies/, 'The products that users can invest in.'),
  tag('Investments', /^\/api\/user\/investments/, 'Principal and units held in strategies.'),
  tag(
    'Withdrawals',
    /^\/api\/user\/(withdrawals|addresses)/,
    'Outgoing payments, and the address book for them.',
  ),
  tag('Transactions', /^\/api\/user\/transactions/, 'One record per movement of money.'),
  tag('Notifications', /^\/api\/user\/notifications/, 'Messages to a user.'),
  tag('API keys', /^\/api\/user\/api-keys/, 'Keys with which third parties call some routes of a user.'),
  tag('Outbound webhooks', /^\/api\/user\/webhooks/, 'Events that are sent to servers of users.'),
  tag('Live delivery', /^\/api\/(live|(user|admin)\/live|blockchain\/websocket)/, 'Events over WebSocket.'),
  tag(
    'Proofs',
    /^\/(api\/(user\/)?proof|\.well-known)/,
    'The transparency log: signed checkpoints, tiles, and what is needed to verify them.',
  ),
  tag('Chain', /^\/api\/blockchain/, 'Read access to the EVM chain.'),
  tag('Faucet', /^\/api\/faucet/, 'Test tokens, outside production.'),
  tag(
    'Admin: users',
    /^\/api\/admin\/(users|tiers|profile|test-data|announcements)/,
    'Users, for support and operators.',
  ),
  tag(
    'Admin: transactions',
    /^\/api\/admin\/(transaction|deposits)/,
    'Deposits, manual transactions and the treasury.',
  ),
  tag('Admin: strategies', /^\/api\/admin\/(strategies|yield)/, 'Strategies and their reported yields.'),
  tag('Admin: investments', /^\/api\/admin\/investments/, 'Investments, approvals and closings.'),
  tag('Admin: withdrawals', /^\/api\/admin\/withdrawals/, 'The queue of withdrawals and their processing.'),
  tag('Admin: figures', /^\/api\/admin\/(dashboard|reports)/, 'Dashboard and reports.'),
  tag('Admin: books', /^\/api\/admin\/books/, 'Trial balance, profit and loss, entries of accounts.'),
  tag(
    'Admin: events',
    /^\/api\/admin\/events/,
    'Everything that happens, in order, for programs of the operator.',
  ),
  tag(
    'Admin: control',
    /^\/api\/admin\//,
    'Search, approvals, alerts, audit log, integrity, reconciliation, dead letters.',
  ),
  tag('Inbound webhooks', /^\/api\/webhooks/, 'Callbacks of the providers.'),
  tag('Service', /^\//, 'Health, service levels, version.'),
];

function tag(name: string, prefix: RegExp, description: string) {
  return { prefix, name, description };
}

/** Sets the tag of every operation, and returns the used tags. */
export function addTags(paths: Record<string, object>): { name: string; description: string }[] {
  const used = new Set<string>();
  for (const [path, operations] of Object.entries(paths)) {
    const matchedLength = ({ prefix }: (typeof TAGS)[number]) => prefix.exec(path)?.[0].length ?? 0;
    const { name } = TAGS.reduce((best, next) => (matchedLength(next) > matchedLength(best) ? next : best));
    for (const operation of Object.values(operations) as { tags?: string[] }[]) operation.tags = [name];
    used.add(name);
  }
  return TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }));
}
