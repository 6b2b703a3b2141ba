#!/usr/bin/env node
const { main } = require('../dist/main.cjs');

// Until main has its say: a program that ends without one has failed.
process.exitCode = 1;
main(process).then((exitCode) => {
	process.exitCode = exitCode;
});
