import { MetadataScanner, type DiscoveryService } from '@nestjs/core';
import { jobOptionsOf, type JobMethod, type JobOptions } from './job.decorator.js';

interface DeclaredJob {
  readonly options: JobOptions;
  readonly method: JobMethod;
}

/** All methods of providers with `@Job`. Reads classes, not instances: `npm run generate` makes no instances. */
export function declaredJobs(discovery: DiscoveryService): DeclaredJob[] {
  const scanner = new MetadataScanner();
  return discovery.getProviders().flatMap((provider) => {
    const prototype = (provider.metatype?.prototype ?? null) as Record<string, JobMethod> | null;
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const options = jobOptionsOf(prototype?.[name] as JobMethod);
      const method: JobMethod = async (stopping) =>
        (provider.instance as Record<string, JobMethod>)[name]?.(stopping);
      return options ? [{ options, method }] : [];
    });
  });
}
