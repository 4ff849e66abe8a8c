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

/** Knows every route of the application; refuses to start when one does not say who may call it. */
@Injectable()
export class RouteAudit implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const silent = this.routes().filter((route) => !route.rule);
    if (silent.length === 0) return;
    const list = silent.map((route) => `${route.method} ${route.path} (${route.handler})`).join(', ');
    throw new Error(
      `Routes that do not say who may call them: ${list}. Add @UserRoute, @AdminRoute or @PublicRoute.`,
    );
  }

  routes(): DeclaredRoute[] {
    return this.discovery.getControllers().flatMap(({ instance, metatype }) => {
      const prototype = Object.getPrototypeOf(instance) as object;
      const base = [Reflect.getMetadata(PATH_METADATA, metatype as object) as string | string[]].flat();
      return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
        const handler = (prototype as Record<string, () => unknown>)[name] as () => unknown;
        const paths = Reflect.getMetadata(PATH_METADATA, handler) as string | string[] | undefined;
        if (paths === undefined) return [];
        const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number] ?? 'ALL';
        const rule = this.reflector.get<RouteRule | undefined>(ROUTE_RULE, handler);
        return base.flatMap((start) =>
          [paths].flat().map((path) => ({
            method,
            path: `/${start}/${path}`.replace(/\/+/g, '/').replace(/(.)\/$/, '$1'),
            rule,
            handler: `${metatype?.name}.${name}`,
          })),
        );
      });
    });
  }
}
