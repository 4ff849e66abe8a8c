/** The arguments of node in `npm run start:production`: options and program. */
export function productionArguments(): string[];
