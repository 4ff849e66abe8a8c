import type { OpenAPIObject } from '@nestjs/swagger';

interface Operation {
  operationId?: string;
  responses: Record<string, { content?: Record<string, { schema?: ResponseSchema }> }>;
}

interface ResponseSchema {
  allOf?: { properties?: { data?: { type?: string }; pagination?: object } }[];
  anyOf?: ResponseSchema[];
}

const VERBS: Readonly<Record<string, string>> = {
  get: 'get',
  head: 'get',
  post: 'create',
  put: 'update',
  delete: 'delete',
};

const ADMIN_PATH = /^\/api\/admin\//;

/**
 * Names every operation by a verb and a noun: `listWithdrawals`, `getWithdrawal`, `createWithdrawal`, `cancelWithdrawal`. A route
 * whose name reads badly states another one. An admin's operation with the name of a user's ends with `AsAdmin`. Throws if two
 * operations have the same name.
 */
export function nameOperations(document: OpenAPIObject): void {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => {
      const name = operation.operationId || operationName(method, path, operation);
      return { path, operation, name, isForAdmins: ADMIN_PATH.test(path) };
    }),
  );
  const namesForUsers = new Set(operations.flatMap(({ name, isForAdmins }) => (isForAdmins ? [] : [name])));
  const pathsByName = new Map<string, string>();
  for (const { path, operation, name, isForAdmins } of operations) {
    operation.operationId = isForAdmins && namesForUsers.has(name) ? `${name}AsAdmin` : name;
    const other = pathsByName.get(operation.operationId);
    if (other) throw new Error(`${other} and ${path} have the same operationId ${operation.operationId}`);
    pathsByName.set(operation.operationId, path);
  }
}

function operationName(method: string, path: string, operation: Operation): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== 'api');
  if (segments.length > 1 && /^(user|admin)$/.test(segments[0] as string)) segments.shift();
  const last = segments.at(-1) as string;
  const verb = VERBS[method] as string;
  const names = segments.filter((segment) => !segment.startsWith('{'));
  if (last.startsWith('{')) return verb + nounOf(names.map(singular));
  const owners = names.slice(0, -1);
  if (method === 'get' || method === 'head') {
    const noun = nounOf([...owners.map(singular), last]);
    return `${isList(operation) ? 'list' : verb}${noun}${method === 'head' ? 'Headers' : ''}`;
  }
  // The last segment is a noun: /withdrawals, /users/{id}/permissions
  if (singular(last) !== last || owners.length === 0) {
    const isOne = method === 'post' || method === 'put';
    return verb + nounOf([...owners.map(singular), isOne ? singular(last) : last]);
  }
  // The last segment is a verb: /withdrawals/{id}/cancel, /webhooks/{id}/rotate-secret
  const objects = owners.map((name, index) => (isOfOne(segments, index, name) ? singular(name) : name));
  const [action = '', ...rest] = last.split('-');
  return action + nounOf([...objects, ...rest]);
}

/** True if a parameter follows the segment, which selects one resource of the collection. */
function isOfOne(segments: readonly string[], index: number, name: string): boolean {
  return segments[segments.indexOf(name, index) + 1]?.startsWith('{') === true;
}

/** True if the data of the successful response is an array, or the response has pages. */
function isList({ responses }: Operation): boolean {
  const schema = responses['200']?.content?.['application/json']?.schema;
  return [schema, ...(schema?.anyOf ?? [])].some((alternative) =>
    alternative?.allOf?.some(
      ({ properties }) => properties?.pagination ?? properties?.data?.type === 'array',
    ),
  );
}

function nounOf(words: readonly string[]): string {
  return words
    .map((word) => word.replace(/(?:^|[-.])(\w)/g, (_, letter: string) => letter.toUpperCase()))
    .join('');
}

function singular(word: string): string {
  if (/(ss|us)$/.test(word)) return word;
  return word.replace(/ies$|(?<=ss)es$|s$/, (ending) => (ending === 'ies' ? 'y' : ''));
}
