// Jest's `testEnvironment` for runtime.cjs: spec files run with the worker's own globals instead of those of a VM context.
module.exports = class WorkerEnvironment {
  /** Jest replaces `console` and wraps `process.exit` of this object per spec file; those of the worker stay unchanged. */
  global = Object.create(globalThis, {
    process: { value: undefined },
    console: { value: console, writable: true },
  });

  async setup() {}
  async teardown() {}
  getVmContext() {
    return null;
  }
};
