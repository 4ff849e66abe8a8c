import { Injectable, RequestMethod, type OnModuleInit } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ROUTE_RULE, type RouteRule } from './route.js';

export interface DeclaredRoute {
  method: string;
  path: string;
  rule: RouteRule | undefined;
  handler: string;
}

/** Lists the routes of the application. Stops the start-up if a route has no access rule. */
@Injectable()
export class RouteAudit implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const unprotected = this.routes().filter((route) => !route.rule);
    if (unprotected.length === 0) return;
    const list = unprotected.map((route) => `${route.method} ${route.path} (${route.handler})`).join(', ');
    throw new Error(
      `Routes without an access rule: ${list}. Add @UserRoute, @AdminRoute, @SignedInRoute, @CookieRoute or @PublicRoute.`,
    );
  }

  routes(): DeclaredRoute[] {
    return this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      const prototype = Object.getPrototypeOf(instance) as object;
      const prefixes = [Reflect.getMetadata(PATH_METADATA, metatype as object) as string | string[]].flat();
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = (prototype as Record<string, () => unknown>)[name] as () => unknown;
        const paths = Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined;
        if (paths === undefined) return [];
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number] ?? 'ALL';
        const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, handler);
        return prefixes.flatMap((prefix) =>
          [paths].flat().map((path) => ({
            method,
            path: listedPath(`/${prefix}/${path}`),
            rule,
            handler: `${metatype?.name}.${name}`,
          })),
        );
      });
    });
  }
}

/** A wildcard is listed as a parameter, as in the OpenAPI document. */
function listedPath(path: string): string {
  return path
    .replace(/\/+/g, '/')
    .replace(/(.)\/$/, '$1')
    .replace('/*', '/:');
}
