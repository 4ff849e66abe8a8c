/** Which part of the document a route stands in: the first that fits its path. */
const TAGS: readonly { readonly prefix: RegExp; readonly name: string; readonly description: string }[] = [
  tag('Authentication', /^\/api\/(admin\/)?auth\//, 'Signing in and out, sessions, wallets that sign in.'),
  tag(
    'Admin: users',
    /^\/api\/admin\/(users|profile|test-data|announcements)/,
    'The people, for support and operators.',
  ),
  tag('Admin: investments', /^\/api\/admin\/investments/, 'What is invested, approvals and closings.'),
  tag('Admin: withdrawals', /^\/api\/admin\/withdrawals/, "The operators' queue and what becomes of it."),
  tag('Admin: transactions', /^\/api\/admin\/transaction/, 'Manual transactions and the treasury.'),
  tag('Admin: strategies', /^\/api\/admin\/(strategies|yield)/, 'Strategies and their reported yields.'),
  tag('Admin: figures', /^\/api\/admin\/(dashboard|reports)/, 'Dashboard and reports.'),
  tag('Admin: control', /^\/api\/admin\//, 'Alerts, audit log, integrity, reconciliation, dead letters.'),
  tag(
    'Balance',
    /^\/api\/(user\/)?(balance|dashboard|statement)/,
    "A user's funds, now and at any past time.",
  ),
  tag('Transactions', /^\/api\/user\/transactions/, 'One record per fact about money.'),
  tag('Investments', /^\/api\/user\/investments/, 'Principal and units held in strategies.'),
  tag('Strategies', /^\/api\/user\/strategies/, 'What can be invested in.'),
  tag('Deposits', /^\/api\/(user\/)?(deposits|blockchain\/deposit$)/, 'Addresses and incoming money.'),
  tag('Withdrawals', /^\/api\/user\/withdrawals/, 'Outgoing money.'),
  tag('Notifications', /^\/api\/user\/notifications/, 'What a user is told.'),
  tag('Outbound webhooks', /^\/api\/user\/webhooks/, "Events for clients' own servers."),
  tag('Account', /^\/api\/user\//, 'Profile and connection.'),
  tag('Chain', /^\/api\/blockchain/, 'The EVM chain, read through the service.'),
  tag('Faucet', /^\/api\/faucet/, 'Test tokens, outside production.'),
  tag('Inbound webhooks', /^\/api\/webhooks/, "The providers' calls."),
  tag('Service', /^\//, 'Health, service levels, version.'),
];

function tag(name: string, prefix: RegExp, description: string) {
  return { prefix, name, description };
}

/** Sorts every operation under its tag and answers those that are used, in the order of the document. */
export function addTags(paths: Record<string, object>): { name: string; description: string }[] {
  const used = new Set<string>();
  for (const [path, operations] of Object.entries(paths)) {
    const { name } = TAGS.find(({ prefix }) => prefix.test(path)) as { name: string };
    for (const operation of Object.values(operations) as { tags?: string[] }[]) operation.tags = [name];
    used.add(name);
  }
  return TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({ name, description }));
}
