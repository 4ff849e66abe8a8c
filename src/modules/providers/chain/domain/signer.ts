import {
  compactSignatureToSignature,
  parseCompactSignature,
  recoverMessageAddress,
  size,
  type Address,
  type Hex,
} from 'viem';

const COMPACT_SIZE = 64;

/** The address whose key has signed the text, also with a compact signature (EIP-2098); undefined for any other signature. */
export async function recoverSigner(message: string, signature: Hex): Promise<Address | undefined> {
  try {
    const full =
      size(signature) === COMPACT_SIZE
        ? compactSignatureToSignature(parseCompactSignature(signature))
        : signature;
    return await recoverMessageAddress({ message, signature: full });
  } catch {
    return undefined;
  }
}
