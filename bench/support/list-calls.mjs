// Derives all calls of paged lists from the OpenAPI document: first page and page 100, each sort, each filter.

const LIMIT = 20;
const FAR_PAGE = 100;
/** Filter values that exist only in one view of a list, and the parameter that selects this view. */
const CHAIN_FILTERS = { transfer: { view: 'chain' }, confirmed: { view: 'chain' } };
const COUNTED_FILTERS = [
  'userId',
  'user_id',
  'subjectId',
  'subject',
  'search',
  'minAmount',
  'minInvestment',
  'takenBy',
  'completedBy',
  'txHash',
  'toAddress',
  'createdAfter',
  'createdBefore',
  'takenAfter',
  'takenBefore',
  'completedAfter',
  'completedBefore',
  'registeredAfter',
  'receivedAfter',
  'startDate',
  'endDate',
  'from',
  'to',
];
const NO_FILTERS = ['page', 'limit', 'cursor', 'sortBy', 'orderBy', 'format'];

/** Values of filters without an enum in the document. Times are within a day, so that the totals count its rows one by one. */
function samplesOf({ busyUser, today }) {
  const ago = (days) => new Date(today.getTime() - days * 86_400_000).toISOString();
  const dayAgo = (days) => ago(days).slice(0, 10);
  return {
    userId: [busyUser],
    user_id: [busyUser],
    minAmount: ['100.50'],
    minInvestment: ['1000.00'],
    createdAfter: [ago(30.4)],
    createdBefore: [ago(60.4)],
    takenAfter: [ago(30.4)],
    takenBefore: [ago(60.4)],
    completedAfter: [ago(30.4)],
    completedBefore: [ago(60.4)],
    takenBy: ['operator7@example.com'],
    completedBy: ['operator7@example.com'],
    txHash: [`0x${'ab'.repeat(32)}`],
    toAddress: [`0x${'ab'.repeat(20)}`],
    registeredAfter: [ago(30.4)],
    receivedAfter: [ago(30.4)],
    startDate: [dayAgo(90)],
    endDate: [dayAgo(30)],
    from: [ago(90.4)],
    to: [ago(30.4)],
    strategyId: ['balanced-10'],
    admin: ['operator@example.com'],
    assignedTo: ['operator@example.com'],
    owner: ['admin@example.com'],
    action: ['withdrawal.take'],
    subjectType: ['user'],
    subjectId: [busyUser],
    subject: [`user:${busyUser}`],
    provider: ['custody'],
    search: ['user-777'],
    unread: ['true', 'false'],
    mine: ['true', 'false'],
  };
}

function valuesOf({ name, schema }, samples) {
  const values = schema.enum ?? schema.items?.enum ?? samples[name];
  if (!values) throw new Error(`bench/support/list-calls.mjs has no sample for the filter ${name}`);
  return values;
}

/**
 * `{path, route, query}` of each call, without the page: the path of the document and, with the id of `ids[path]` in it, the
 * path to call.
 */
export function listCalls(document, { ids, ...seeded }) {
  const samples = samplesOf(seeded);
  return listRoutes(document).flatMap(({ path, parameters }) => {
    const route = path.replace('{id}', () => {
      if (!ids[path]) throw new Error(`bench/support/list-calls.mjs has no id for ${path}`);
      return ids[path];
    });
    const choicesOf = (name) => parameters.find((parameter) => parameter.name === name)?.schema.enum ?? [];
    const sorts = choicesOf('sortBy').flatMap((sortBy) =>
      choicesOf('orderBy').map((orderBy) => ({ sortBy, orderBy })),
    );
    const filters = parameters
      .filter(({ name }) => !NO_FILTERS.includes(name))
      .flatMap((parameter) =>
        valuesOf(parameter, samples).map((value) => ({
          ...(choicesOf('view').length > 1 ? CHAIN_FILTERS[value] : {}),
          [parameter.name]: value,
        })),
      );
    return [{}, ...sorts, ...filters].map((query) => ({ path, route, query }));
  });
}

function listRoutes(document) {
  return Object.entries(document.paths).flatMap(([path, { get }]) => {
    const parameters = (get?.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const isPaged = ['page', 'limit'].every((name) =>
      parameters.some((parameter) => parameter.name === name),
    );
    return isPaged ? [{ path, parameters }] : [];
  });
}

/** True for a filter by amount, time, user or text: no sums are kept by its values, so that the rows are counted. */
export function isCounted({ query }) {
  return Object.keys(query).some((name) => COUNTED_FILTERS.includes(name));
}

export function pathOf({ route, query }, page = 1) {
  return `${route}?${new URLSearchParams({ ...query, page: String(page), limit: String(LIMIT) })}`;
}

/** Page 100, or the last page of a shorter list, from the response of the first page. */
export function farPage(answer) {
  const [, pages = '1'] = /"totalPages":(\d+)/.exec(answer) ?? [];
  return Math.max(1, Math.min(FAR_PAGE, Number(pages)));
}

const BOOK_ENTRIES = '/api/admin/books/accounts/{id}/entries';
const BOOK_ACCOUNT = 'asset.custody:USDC';

/** Reads the ids that the calls need from a seeded database. */
export async function readSeededIds(client) {
  const idOf = async (sql) => (await client.query(sql)).rows[0].id;
  const busyUser = await idOf(`select id from platform_user where email = 'busy@example.org'`);
  return {
    busyUser,
    today: new Date(),
    ids: {
      '/api/user/webhooks/{id}/deliveries': await idOf(
        `select id from webhook_subscription where user_id = '${busyUser}'`,
      ),
      '/api/admin/reconciliations/{id}/lines': await idOf(
        'select id from reconciliation order by made_at limit 1',
      ),
      [BOOK_ENTRIES]: BOOK_ACCOUNT,
    },
  };
}
