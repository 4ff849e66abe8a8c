/** The verifier of audit packs, which `scripts/build-client.mjs` builds from client/audit-pack. */
export const VERIFIER_FILE = new URL('../../dist/audit-pack/verify.mjs', import.meta.url);
