/** Times as people say them. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly (readonly [name: string, ms: number])[] = [
	['y', 365 * DAY],
	['mo', 30 * DAY],
	['d', DAY],
	['h', HOUR],
	['min', MINUTE],
];

/** `2 h ago`, `in 3 d`, `just now`. Both are milliseconds since 1970. */
export function relativeTime(ms: number, now: number): string {
	const distance = Math.abs(now - ms);
	const unit = UNITS.find(([, least]) => distance >= least);
	if (unit === undefined) return 'just now';
	const [name, least] = unit;
	const amount = `${Math.floor(distance / least)} ${name}`;
	return ms > now ? `in ${amount}` : `${amount} ago`;
}
