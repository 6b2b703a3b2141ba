/** `--until` and `--for`: when a run begins no new row any more. */

import { quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';

const DAY = 86_400_000;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: DAY, w: 7 * DAY };

/** `90m`, `1h30m`, `8w` → milliseconds. @throws UsageError */
export function parseDuration(text: string, flag: string): number {
	const given = text.trim().toLowerCase();
	const isValid = /^(?:\d{1,7}(?:\.\d+)?[smhdw])+$/.test(given);
	if (!isValid) throw refuse(flag, text, 'a duration such as 90m, 2h, 1h30m or 30d');
	let ms = 0;
	for (const [, count, unit = ''] of given.matchAll(/([\d.]+)([smhdw])/g)) ms += Number(count) * (UNITS[unit] ?? 0);
	return ms;
}

/** `06:00`, in local time, or `2026-11-24T06:00:00Z` → milliseconds since 1970. @throws UsageError, also for the past */
export function parseUntil(text: string, now: number): number {
	const given = text.trim();
	const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(given);
	if (clock !== null) {
		const next = new Date(now);
		next.setHours(Number(clock[1]), Number(clock[2]), 0, 0);
		if (next.getTime() <= now) next.setDate(next.getDate() + 1);
		return next.getTime();
	}
	const time = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
	if (Number.isNaN(time)) throw refuse('--until', text, 'a time such as 06:00 or 2026-11-24T06:00');
	if (time <= now) throw refuse('--until', text, 'a time in the future');
	return time;
}

function refuse(flag: string, text: string, expected: string): UsageError {
	return new UsageError(`${flag}: ${quote(text)} must be ${expected}`, { code: 'invalid_value' });
}
