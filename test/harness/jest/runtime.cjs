// Jest's `runtime`: loads spec files with Node's module loader, so that a worker evaluates the application's modules once
// instead of once per spec file. jest-circus, time-outs, reporters and workers are unchanged. The `jest` object has only the functions of
// jest-mock, such as `fn`, `spyOn` and `restoreAllMocks`: there are no module mocks and fake timers.
const asyncHooks = require('node:async_hooks');
const { ModuleMocker } = require('jest-mock');

let filesLoaded = 0;

/** The one storage that jest-circus gets in all spec files, because before Node 24 each enabled storage slows down every promise. */
const storage = new asyncHooks.AsyncLocalStorage();
function SharedStorage() {
  return storage;
}

module.exports = class NativeRuntime {
  mocker = new ModuleMocker(globalThis);

  /** jest-circus is evaluated afresh for each spec file: its module state is the tree of tests. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')]; // otherwise the handlers of the previous spec file stay
    const original = Object.getOwnPropertyDescriptor(asyncHooks, 'AsyncLocalStorage'); // a getter since Node 22
    Object.defineProperty(asyncHooks, 'AsyncLocalStorage', { value: SharedStorage, configurable: true });
    try {
      return require(path);
    } finally {
      Object.defineProperty(asyncHooks, 'AsyncLocalStorage', original);
    }
  }

  setGlobalsForRuntime(globals) {
    Object.assign(globalThis, globals, { jest: this.mocker });
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /**
   * The query makes the URL unique, so that Node evaluates setup.ts again for each spec file. Changed files are loaded because
   * each run of `--watch` starts new workers.
   */
  async unstable_importModule(path) {
    const { compiledUrl } = await import('../../../scripts/compile-tests.mjs');
    return import(`${compiledUrl(path)}?load=${++filesLoaded}`);
  }

  requireModule(path) {
    return require(path);
  }

  teardown() {
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
};
