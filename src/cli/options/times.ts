/** Durations and times that flags take: `--for 2h`, `--until 06:00`, `--older-than 30d`. */

import { quote } from '../../api/values.js';
import { UsageError } from '../../errors.js';
import { readDuration } from '../../text.js';

/** `90m`, `1h30m`, `8w` → milliseconds. @throws UsageError */
export function parseDuration(text: string, flag: string): number {
	const ms = readDuration(text);
	if (ms === undefined) throw refuse(flag, text, 'a duration such as 90m, 2h, 1h30m or 30d');
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
	return new UsageError(`${flag}: ${quote(text)} is not ${expected}`, { code: 'invalid_value' });
}
