// client/verify.ts as `npm run build` bundles it for browsers: the demo verifies with the program that users have.

const FILE = new URL('../client/verify.js', import.meta.url);

export interface TransactionProof {
  readonly leaf: string;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly path: readonly string[];
  readonly checkpoint: string;
}

export interface PublishedLiabilities {
  readonly day: string;
  readonly asset: string;
  readonly total: string;
  readonly leaves: number;
  readonly leafIndex: number;
}

export interface LiabilityProof {
  readonly day: string;
  readonly userId: string;
  readonly asset: string;
  readonly amount: string;
  readonly components: Readonly<Record<'available' | 'reserved' | 'invested' | 'held', string>>;
  readonly path: readonly unknown[];
}

export interface SignedReceipt {
  readonly payload: string;
  readonly signature: string;
}

/** The functions of client/verify.ts that the demo uses. Each throws if the proof does not hold. */
export interface Verifier {
  verifyConsistency(older: string, newer: string, path: string[], keys: string): Promise<{ size: number }>;
  verifyInclusion(proof: TransactionProof, keys: string): Promise<unknown>;
  verifyPublishedLiabilities(
    published: PublishedLiabilities,
    keys: string,
    readTile: (path: string) => Promise<Uint8Array | undefined>,
  ): Promise<void>;
  verifyLiability(proof: LiabilityProof, published: PublishedLiabilities, userId: string): Promise<void>;
  verifyReceipt(receipt: SignedReceipt, keys: unknown): Promise<unknown>;
}

export async function loadVerifier(): Promise<Verifier> {
  return (await import(FILE.href)) as Verifier;
}
