/** The part of undici that is loaded by itself, so that start-up does not pay for the whole package. */

declare module 'undici/lib/dispatcher/pool.js' {
	import { Pool } from 'undici';

	export default Pool;
}
