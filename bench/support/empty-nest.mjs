// A Nest application on Express with one route: the baseline of bench/start.mjs. Plain JavaScript has no decorator syntax,
// so decorators are called as functions.
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

class ReadyController {
  get() {
    return {};
  }
}
Controller()(ReadyController);
Get('ready')(
  ReadyController.prototype,
  'get',
  Object.getOwnPropertyDescriptor(ReadyController.prototype, 'get'),
);

class EmptyModule {}
Module({ controllers: [ReadyController] })(EmptyModule);

const app = await NestFactory.create(EmptyModule, { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
