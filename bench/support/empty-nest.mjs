// A Nest application on Express with one route: the baseline of bench/start.mjs.
import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

class Ready {
  get() {
    return {};
  }
}
Controller()(Ready);
Get('ready')(Ready.prototype, 'get', Object.getOwnPropertyDescriptor(Ready.prototype, 'get'));

class Empty {}
Module({ controllers: [Ready] })(Empty);

const app = await NestFactory.create(Empty, { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
