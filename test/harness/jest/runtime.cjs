// Jest's `runtime`: loads spec files with Node's module loader, so that a worker evaluates the application's modules once
// instead of once per spec file. jest-circus, time-outs, reporters and workers are unchanged. Module mocks and fake timers
// are not supported.
const asyncHooks = require('node:async_hooks');
const { ModuleMocker } = require('jest-mock');

let filesLoaded = 0;

/** Unsupported functions of `jest` and their replacements. */
const REPLACEMENTS = {
  setTimeout: 'pass the time-out in milliseconds as the last argument of it, test, beforeAll or afterAll',
  useFakeTimers:
    'use platform.clock.advance(ms) for the domain, or test/harness/skip-time.ts for the clocks of the process',
  mock: 'use jest.spyOn on an instance, such as platform.app.get(Service)',
  unstable_mockModule: 'use jest.spyOn on an instance, such as platform.app.get(Service)',
};
const throwingFunctions = Object.entries(REPLACEMENTS).map(([name, instead]) => [
  name,
  () => {
    throw new Error(`jest.${name} is not supported (test/harness/jest/runtime.cjs): ${instead}.`);
  },
]);

class NativeRuntime {
  mocker = new ModuleMocker(globalThis);
  storages = [];

  /**
   * jest-circus is evaluated afresh for each spec file: its module state is the tree of tests. It creates an AsyncLocalStorage
   * each time, which `teardown` disables, because before Node 24 each enabled storage slows down every promise.
   */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')]; // otherwise the handlers of the previous spec file stay
    const { AsyncLocalStorage } = asyncHooks;
    const { storages } = this;
    const original = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage'); // a getter since Node 22
    class RecordedStorage extends AsyncLocalStorage {
      constructor(options) {
        super(options);
        storages.push(this);
      }
    }
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value: RecordedStorage, configurable: true });
    try {
      return require(path);
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', original);
    }
  }

  setGlobalsForRuntime(globals) {
    const { mocker } = this;
    Object.assign(globalThis, globals, {
      jest: {
        fn: mocker.fn.bind(mocker),
        spyOn: mocker.spyOn.bind(mocker),
        restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
        ...Object.fromEntries(throwingFunctions),
      },
    });
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /**
   * The query makes the URL unique, so that Node evaluates setup.ts again for each spec file. Changed files are loaded because
   * each run of `--watch` starts new workers.
   */
  async unstable_importModule(path) {
    const { compiledUrl } = await import('./compile.mjs');
    return import(`${compiledUrl(path)}?load=${++filesLoaded}`);
  }

  requireModule(path) {
    return require(path);
  }

  teardown() {
    this.mocker.restoreAllMocks();
    for (const storage of this.storages) storage.disable();
  }

  restoreAllMocks() {
    this.mocker.restoreAllMocks();
  }

  enterTestCode() {}
  leaveTestCode() {}
  getSourceMaps() {
    return null;
  }
  getAllCoverageInfoCopy() {
    return undefined;
  }
}

module.exports = NativeRuntime;
