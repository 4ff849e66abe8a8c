/** Compares the error catalogue with the documented codes and those seen in a full test run; returns the differences. */
export function faultsOfCatalogue({ catalogue, documented, seen, neverReturned }) {
  return [
    ...catalogue
      .filter((code) => documented.has(code) && !seen.has(code))
      .map((code) => `${code}: documented by ${documented.get(code)}, but no test triggered it`),
    ...catalogue
      .filter((code) => !documented.has(code) && !seen.has(code) && !neverReturned.includes(code))
      .map((code) => `${code}: no route returns it, and its entry has no neverReturned`),
    ...neverReturned
      .filter((code) => documented.has(code) || seen.has(code))
      .map((code) => `${code}: marked as neverReturned, but ${documented.get(code) ?? 'a test'} returns it`),
  ];
}

/** Code → one of the routes that document it. `errorCodesOf` is that of src/http/openapi/references.ts. */
export function documentedCodes(document, errorCodesOf) {
  const routeOfCode = new Map();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(operations)) {
      for (const code of errorCodesOf(responses)) routeOfCode.set(code, `${method.toUpperCase()} ${path}`);
    }
  }
  return routeOfCode;
}
