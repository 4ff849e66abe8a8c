export function faultsOfCatalogue(codes: {
  catalogue: string[];
  documented: Map<string, string>;
  seen: Set<string>;
  neverReturned: string[];
}): string[];

export function documentedCodes(
  document: { paths: object },
  errorCodesOf: (responses: object) => string[],
): Map<string, string>;
