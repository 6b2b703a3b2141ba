/** Loaded into a measured Node process: writes its peak memory and CPU time to descriptor 3 when it ends. */

const { writeSync } = require('node:fs');

process.on('exit', () => {
	const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
	writeSync(3, JSON.stringify({ peakMB: (maxRSS * 1024) / 1e6, cpuMs: (userCPUTime + systemCPUTime) / 1000 }));
});
