import { MetadataScanner, type DiscoveryService } from '@nestjs/core';
import { jobOptionsOf, type JobOptions } from './job.decorator.js';
import { jobsOfQueue, queueOptionsOf } from './queue.decorator.js';

type Method = (...args: unknown[]) => Promise<never>;

const scanner = new MetadataScanner(); // keeps the names of methods that it has read

/** All methods of providers that have options. Reads classes, not instances: `npm run generate` makes no instances. */
export function declaredMethods<Options>(
  discovery: DiscoveryService,
  optionsOf: (method: object) => Options | undefined,
): { options: Options; method: Method }[] {
  return discovery.getProviders().flatMap((provider) => {
    const prototype = (provider.metatype?.prototype ?? null) as Record<string, Method> | null;
    return scanner.getAllMethodNames(prototype).flatMap((name) => {
      const options = optionsOf(prototype?.[name] as Method);
      const method: Method = (...args) =>
        (provider.instance as Record<string, Method>)[name]?.(...args) as Promise<never>;
      return options ? [{ options, method }] : [];
    });
  });
}

/** The options of all jobs: those of methods with `@Job` and those of queues. */
export function declaredJobs(discovery: DiscoveryService): JobOptions[] {
  return [
    ...declaredMethods(discovery, jobOptionsOf).map(({ options }) => options),
    ...declaredMethods(discovery, queueOptionsOf).flatMap(({ options }) => jobsOfQueue(options)),
  ];
}
