const IS_THOROUGH = process.env.THOROUGH === '1';

/** How often a test repeats something with other values: as often as told with `THOROUGH=1`, an eighth of it without. */
export function repetitions(thorough: number): number {
  return IS_THOROUGH ? thorough : Math.ceil(thorough / 8);
}
