// Jest's `testEnvironment` for runtime.cjs: the worker's own globals instead of those of a VM context.
const { ModernFakeTimers } = require('@jest/fake-timers');

module.exports = class WorkerEnvironment {
  constructor({ projectConfig: config }) {
    // Jest replaces `console` and wraps `process.exit` here, for each spec file anew: the worker's own stay as they are.
    this.global = Object.create(globalThis, {
      process: { value: undefined },
      console: { value: console, writable: true },
    });
    this.fakeTimersModern = new ModernFakeTimers({ config, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return null;
  }
};
