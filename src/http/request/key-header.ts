export const KEY_HEADER = 'Idempotency-Key';
/** 1 to 255 visible ASCII characters. */
export const KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$';
