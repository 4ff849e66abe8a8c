import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { withNullTypes } from './document.js';

export type Schema = Readonly<Record<string, unknown>>;

/** The JSON schemas of classes with the decorators of `fields.ts`, by class name; `module` has to be in the application. */
export function schemasOf(
  app: INestApplication,
  module: new () => object,
  models: readonly (new () => object)[],
): Record<string, Schema> {
  const options = { include: [module], extraModels: [...models] };
  const { components } = SwaggerModule.createDocument(app, new DocumentBuilder().build(), options);
  const names = new Set(models.map(({ name }) => name));
  const schemas = Object.entries(components?.schemas ?? {}).filter(([name]) => names.has(name));
  return withNullTypes(Object.fromEntries(schemas)) as Record<string, Schema>;
}
