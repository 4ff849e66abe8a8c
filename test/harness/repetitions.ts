const IS_THOROUGH = process.env.THOROUGH === '1';

/** Number of repetitions of a random test: `thorough` with `THOROUGH=1`, otherwise `short`, by default an eighth of it. */
export function repetitions(thorough: number, short = Math.ceil(thorough / 8)): number {
  return IS_THOROUGH ? thorough : short;
}
