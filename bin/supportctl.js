#!/usr/bin/env node
import { main } from '../dist/main.js';

// Until main has its say: a program that ends without one has failed.
process.exitCode = 1;
process.exitCode = await main(process);
