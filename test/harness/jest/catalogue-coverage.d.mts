export function faultsOfCatalogue(codes: {
  catalogue: string[];
  documented: Map<string, string>;
  seen: Set<string>;
  unreachable: string[];
}): string[];

export function documentedCodes(
  document: { paths: object },
  errorCodesOf: (responses: object) => string[],
): Map<string, string>;
