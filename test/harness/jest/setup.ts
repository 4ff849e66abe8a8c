import 'reflect-metadata';

// `SEED=42` also repeats the input that fast-check generates, unless a test states a seed.
if (process.env.SEED !== undefined) {
  const { configureGlobal, readConfigureGlobal } = await import('fast-check');
  configureGlobal({ ...readConfigureGlobal(), seed: Number(process.env.SEED) });
}
