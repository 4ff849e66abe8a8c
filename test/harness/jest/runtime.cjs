// Jest's `runtime`: loads spec files with Node's own module loader, so that a worker evaluates the 3,300 modules of the
// application once and not once per spec file. Everything else (jest-circus, time-outs, reporters, workers) is Jest's.
// There are no module mocks and no fake timers: the suite uses neither.
const { pathToFileURL } = require('node:url');
const { ModuleMocker } = require('jest-mock');

let filesLoaded = 0;

class NativeRuntime {
  mocker = new ModuleMocker(globalThis);

  /** jest-circus is evaluated afresh for each spec file: its module state is the tree of tests. */
  requireInternalModule(path) {
    delete require.cache[path];
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    Error.prepareStackTrace = undefined; // Jest's own mapping knows Jest's transforms alone; Node maps what it loads itself
    const { mocker } = this;
    Object.assign(globalThis, globals, {
      jest: {
        fn: mocker.fn.bind(mocker),
        spyOn: mocker.spyOn.bind(mocker),
        restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
      },
    });
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** The query makes the loader evaluate a spec file again when a worker of `jest --watch` meets it a second time. */
  unstable_importModule(path) {
    return import(`${pathToFileURL(path)}?load=${++filesLoaded}`);
  }

  requireModule(path) {
    return require(path);
  }

  teardown() {
    this.mocker.restoreAllMocks();
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
