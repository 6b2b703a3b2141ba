/** The least that one request needs: undici's pool alone, with the flag that supportctl sets. It is bundled as supportctl is. */

import Pool from 'undici/lib/dispatcher/pool.js';

if (process.version.startsWith('v20.')) {
	process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-tiering-budget=180000000');
}
const pool = new Pool(process.argv[2], { connections: 1 });
const body = '{"status":"hold"}';
const headers = { 'content-type': 'application/json' };
let text = '';
pool.dispatch(
	{ method: 'POST', path: '/support-api/v1/tickets/14', headers, body },
	{
		onRequestStart() {},
		onResponseStart() {},
		onResponseData(_controller, chunk) {
			text += chunk;
		},
		onResponseEnd() {
			process.stdout.write(`${JSON.parse(text).id}\n`);
			void pool.close();
		},
		onResponseError(_controller, error) {
			throw error;
		},
	},
);
