/** The parts of undici that are loaded by themselves, so that start-up does not pay for the whole package. */

declare module 'undici/lib/dispatcher/pool.js' {
	import { Pool } from 'undici';

	export default Pool;
}

declare module 'undici/lib/core/connect.js' {
	import { buildConnector } from 'undici';

	export default buildConnector;
}

declare module 'undici/lib/dispatcher/proxy-agent.js' {
	import { ProxyAgent } from 'undici';

	export default ProxyAgent;
}

declare module 'undici/lib/api/api-connect.js' {
	import { Dispatcher } from 'undici';

	export default function connect(
		this: Dispatcher,
		options: Omit<Dispatcher.ConnectOptions, 'origin'>,
	): Promise<Dispatcher.ConnectData>;
}
