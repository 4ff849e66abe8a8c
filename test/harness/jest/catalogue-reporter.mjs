// Fails a full test run if the error catalogue differs from the documented or the triggered codes (catalogue-coverage.mjs).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentedCodes, faultsOfCatalogue } from './catalogue-coverage.mjs';
import { compiledUrl } from './compile.mjs';

export default class CatalogueReporter {
  constructor(globalConfig) {
    this.config = globalConfig;
  }

  async onRunComplete(_contexts, results) {
    if (!isFull(this.config, results)) return;
    const { ERROR_CATALOGUE } = await import(compiledUrl('src/common/errors/error-catalogue.ts'));
    const { errorCodesOf, withoutReferences } = await import(compiledUrl('src/http/openapi/references.ts'));
    const document = JSON.parse(readFileSync(process.env.OPENAPI_FILE, 'utf8'));
    const faults = faultsOfCatalogue({
      catalogue: Object.keys(ERROR_CATALOGUE),
      documented: documentedCodes(withoutReferences(document), errorCodesOf),
      seen: seenCodes(),
      neverReturned: Object.keys(ERROR_CATALOGUE).filter((code) => ERROR_CATALOGUE[code].neverReturned),
    });
    if (faults.length === 0) return;
    this.error = new Error(`Error catalogue:\n  ${faults.join('\n  ')}`);
    process.stderr.write(`\n${this.error.message}\n`);
  }

  getLastError() {
    return this.error;
  }
}

/**
 * Whether the run had no option that selects tests, was not interrupted, and no file failed. With KEPT_RESULTS a run that repeats only
 * the files that have failed counts, too: the results of the first run are in that folder.
 */
function isFull(config, { numFailedTestSuites, wasInterrupted }) {
  const selections = [
    'testNamePattern',
    'onlyChanged',
    ...(process.env.KEPT_RESULTS ? [] : ['onlyFailures']),
    'findRelatedTests',
    'shard',
    'watch',
    'watchAll',
  ];
  return (
    !selections.some((option) => config[option]) &&
    config.nonFlagArgs.length === 0 &&
    !config.testPathPatterns.isSet() &&
    !wasInterrupted &&
    numFailedTestSuites === 0
  );
}

function seenCodes() {
  const folder = process.env.RECORDED_ERROR_CODES;
  return new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')));
}
