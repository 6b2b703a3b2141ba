#!/usr/bin/env node
// Node 22.1 and later keep compiled code from one start to the next.
require('node:module').enableCompileCache?.();

const { main } = require('../dist/main.cjs');

// Until main has its say: a program that ends without one has failed.
process.exitCode = 1;
main(process).then((exitCode) => {
	process.exitCode = exitCode;
});
