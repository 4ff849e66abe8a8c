// Fails a full test run if the error catalogue differs from the documented or the triggered codes (error-catalogue.ts).
import { compiledUrl } from '../../../scripts/compile-tests.mjs';

export default class CatalogueReporter {
  constructor(globalConfig) {
    this.config = globalConfig;
  }

  async onRunComplete(_contexts, results) {
    if (!isFull(this.config, results)) return;
    const { faultsOfRun } = await import(compiledUrl('test/harness/error-catalogue.ts'));
    const faults = faultsOfRun();
    if (faults.length === 0) return;
    this.error = new Error(`Error catalogue:\n  ${faults.join('\n  ')}`);
    process.stderr.write(`\n${this.error.message}\n`);
  }

  getLastError() {
    return this.error;
  }
}

const SELECTIONS = ['testNamePattern', 'onlyChanged', 'findRelatedTests', 'shard', 'watch', 'watchAll'];

/**
 * Whether the run had no option that selects tests, was not interrupted, and no file failed. With KEPT_RESULTS a run that repeats only
 * the files that have failed counts, too: the results of the first run are in that folder.
 */
function isFull(config, { numFailedTestSuites, wasInterrupted }) {
  return (
    !SELECTIONS.some((option) => config[option]) &&
    (!config.onlyFailures || process.env.KEPT_RESULTS !== undefined) &&
    config.nonFlagArgs.length === 0 &&
    !config.testPathPatterns.isSet() &&
    !wasInterrupted &&
    numFailedTestSuites === 0
  );
}
