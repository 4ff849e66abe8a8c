const IS_THOROUGH = process.env.THOROUGH === '1';

/** Number of repetitions of a random test: `thorough` with `THOROUGH=1`, otherwise an eighth of it. */
export function repetitions(thorough: number): number {
  return IS_THOROUGH ? thorough : Math.ceil(thorough / 8);
}
