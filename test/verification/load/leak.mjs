// Loaded into an API process: leaks 4 KB per request.
import { Server } from 'node:http';

const leaked = [];
const { emit } = Server.prototype;
Server.prototype.emit = function (event, ...args) {
  if (event === 'request') leaked.push(Array.from({ length: 512 }, Math.random)); // 8 bytes each
  return emit.call(this, event, ...args);
};
