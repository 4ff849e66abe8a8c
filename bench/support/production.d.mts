/** What `npm run start:production` gives to node: its options, and the program at the end. */
export function inProduction(): string[];
