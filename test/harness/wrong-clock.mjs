// Loaded with `--import` before the service: shifts the time of `Date` in its process by CLOCK_ERROR_MS.
const errorMs = Number(process.env.CLOCK_ERROR_MS);
const RightDate = Date;

globalThis.Date = class Date extends RightDate {
  constructor(...args) {
    if (args.length === 0) super(RightDate.now() + errorMs);
    else super(...args);
  }

  static now() {
    return RightDate.now() + errorMs;
  }
};
