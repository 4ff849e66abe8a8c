// Jest's `testEnvironment` for runtime.cjs: spec files run with the worker's own globals instead of those of a VM context.
module.exports = class WorkerEnvironment {
  /** Jest replaces the console of this object, and wraps its `process.exit`, once per spec file: the worker keeps its own. */
  global = Object.create(globalThis, {
    process: { value: undefined },
    console: { value: console, writable: true },
  });

  async setup() {}

  async teardown() {}

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
};
