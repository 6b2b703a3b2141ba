#!/usr/bin/env node
// Node 22.1 and later keep compiled code from one start to the next; on Node 20 loading the module would cost 0.4 ms.
if (!process.version.startsWith('v20.')) require('node:module').enableCompileCache?.();

const { main } = require('../dist/main.cjs');

// Until main has its say: a program that ends without one has failed.
process.exitCode = 1;
main(process).then((exitCode) => {
	process.exitCode = exitCode;
});
