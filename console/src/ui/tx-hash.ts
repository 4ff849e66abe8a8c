const TX_HASH = /^(0x)?[0-9a-f]{64}$/i;

/** The hash of a transaction on a chain, with or without `0x`. */
export const isTxHash = (text: string): boolean => TX_HASH.test(text);
