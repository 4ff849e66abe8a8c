// npm run bench: every measurement, one after the other.
import 'reflect-metadata';
import { rollBench } from './roll.mjs';

await rollBench();
