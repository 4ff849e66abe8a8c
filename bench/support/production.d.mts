/** The arguments of node in `npm run start:production` of a checkout. */
export function productionArguments(folder?: string): string[];
