import type { OpenAPIObject } from '@nestjs/swagger';

interface Operation {
  parameters?: Node[];
  responses: Record<string, Node>;
}
type Node = { name?: string; $ref?: string } & Record<string, unknown>;

const MINIMUM_USES = 2;

/**
 * Moves parameters and responses 202 that several operations repeat into `components`. The other successful responses stay in their
 * operations, because generated clients do not read the body of a response that is a reference.
 */
export function shareComponents(document: OpenAPIObject): void {
  const operations = [...operationsOf(document.paths), ...operationsOf(document.webhooks)];
  const parameters = operations.flatMap(({ parameters = [] }) => parameters);
  for (const parameter of parameters) {
    if (parameter.required === false) delete parameter.required; // the default of OpenAPI
  }
  const sharedParameters = sharedForms(parameters, parameterName);
  const waiting = operations.flatMap(({ responses }) => (responses['202'] ? [responses['202']] : []));
  const sharedResponses = sharedForms(waiting, () => 'WaitsForApproval');
  for (const operation of operations) {
    const { parameters: own = [] } = operation;
    if (own.length === 0) delete operation.parameters;
    else operation.parameters = own.map((node) => reference('parameters', node, sharedParameters));
    const answer = operation.responses['202'];
    if (answer) operation.responses['202'] = reference('responses', answer, sharedResponses);
  }
  const components = document.components as Record<string, object>;
  components.parameters = componentsOf(sharedParameters);
  components.responses = { ...components.responses, ...componentsOf(sharedResponses) };
}

function reference(kind: string, node: Node, shared: ReadonlyMap<string, string>): Node {
  const name = shared.get(JSON.stringify(node));
  return name ? { $ref: `#/components/${kind}/${name}` } : node;
}

function componentsOf(shared: ReadonlyMap<string, string>): Record<string, object> {
  return Object.fromEntries([...shared].map(([text, name]) => [name, JSON.parse(text) as object]));
}

/** The text of each shared form → its name. Of several forms with one name the most frequent one has no number. */
function sharedForms(
  nodes: readonly Node[],
  nameOf: (node: Node) => string | undefined,
): Map<string, string> {
  const uses = new Map<string, { node: Node; count: number }>();
  for (const node of nodes) {
    const text = JSON.stringify(node);
    uses.set(text, { node, count: (uses.get(text)?.count ?? 0) + 1 });
  }
  const forms = new Map<string, string>(); // name → text
  // Generators make one type of names that differ in case and separators only, such as user_id and userId.
  const countByPlainName = new Map<string, number>();
  for (const [text, { node, count }] of [...uses].sort(([, a], [, b]) => b.count - a.count)) {
    const name = nameOf(node);
    const plainName = name?.replace(/[^A-Za-z\d]/g, '').toLowerCase();
    if (!name || !plainName || count < MINIMUM_USES) continue;
    const number = (countByPlainName.get(plainName) ?? 0) + 1;
    countByPlainName.set(plainName, number);
    forms.set(number === 1 ? name : `${name}-${number}`, text);
  }
  return new Map([...forms].sort().map(([name, text]) => [text, name]));
}

/** A parameter of the path is named by its description, such as `idOfTheWithdrawal`, because `id` identifies different records. */
function parameterName({ in: place, name, description }: Node): string | undefined {
  if (place !== 'path') return name;
  return (description as string | undefined)?.replace(/\W+(\w)/g, (_, letter: string) =>
    letter.toUpperCase(),
  );
}

/** A copy of the document whose operations have the responses and parameters of `components` instead of references to them. */
export function withoutReferences<Document extends { paths?: object }>(document: Document): Document {
  const copy = structuredClone(document);
  const { components = {} } = copy as unknown as { components?: Record<string, Record<string, Node>> };
  const resolved = (node: Node): Node => {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(node.$ref ?? '') ?? [];
    return components[kind]?.[name] ?? node;
  };
  for (const operation of operationsOf(copy.paths)) {
    operation.parameters = (operation.parameters ?? []).map(resolved);
    for (const [status, response] of Object.entries(operation.responses))
      operation.responses[status] = resolved(response);
  }
  return copy;
}

/** The error codes of responses without references. */
export function errorCodesOf(responses: object): string[] {
  const names = JSON.stringify(responses).matchAll(
    /"#\/components\/schemas\/([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"/g,
  );
  return [...new Set([...names].map(([, name]) => name as string))];
}

function operationsOf(paths: object = {}): Operation[] {
  return Object.values(paths).flatMap((operations) => Object.values(operations as Record<string, Operation>));
}
