/** Loaded into a measured Node process: tells its peak memory, in KiB, on descriptor 3 when it ends. */

const { writeSync } = require('node:fs');

process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)));
