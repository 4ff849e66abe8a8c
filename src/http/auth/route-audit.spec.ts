import { Controller, Get, Module, Post } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { AdminRoute, PublicRoute, UserRoute } from './route.js';
import { RouteAudit } from './route-audit.js';

@Controller('api/things')
class Declared {
  @Get()
  @PublicRoute({ summary: 'Things' })
  list(): void {}

  @Get(['mine', 'own'])
  @UserRoute({ summary: 'My things' })
  mine(): void {}

  @Post(':id/take')
  @AdminRoute('withdrawals:approve', { summary: 'Takes a thing' })
  take(): void {}

  helper(): void {}
}

@Controller(['api/silent', 'silent'])
class Silent {
  @Get('health')
  health(): void {}
}

function start(...controllers: (new () => object)[]) {
  @Module({ imports: [DiscoveryModule], providers: [RouteAudit], controllers })
  class Small {}
  return NestFactory.createApplicationContext(Small, { logger: false, abortOnError: false });
}

it('knows every route with what it says of itself', async () => {
  const app = await start(Declared);
  const routes = app.get(RouteAudit).routes();
  expect(
    routes.map(({ method, path, rule }) => `${method} ${path} ${rule?.access} ${rule?.permission ?? '-'}`),
  ).toEqual([
    'GET /api/things none -',
    'GET /api/things/mine user -',
    'GET /api/things/own user -',
    'POST /api/things/:id/take admin withdrawals:approve',
  ]);
  await app.close();
});

it('does not start when a route does not say who may call it, and names it [SEC-023]', async () => {
  await expect(start(Declared, Silent)).rejects.toThrow(
    /GET \/api\/silent\/health \(Silent\.health\), GET \/silent\/health \(Silent\.health\)/,
  );
});
