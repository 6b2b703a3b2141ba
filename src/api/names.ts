/** How people call what a row is about: `ticket 14`, `300 replies`. */

import { formatCount } from '../text.js';

/** `ticket` → `tickets`, `reply` → `replies` */
export function plural(noun: string, count: number): string {
	if (count === 1) return noun;
	if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
	if (/(us|ss|x|ch|sh)$/.test(noun)) return `${noun}es`;
	return /(s|content)$/.test(noun) ? noun : `${noun}s`;
}

/** `1 row`, `1,300 replies`. */
export function counted(count: number, noun: string): string {
	return `${formatCount(count)} ${plural(noun, count)}`;
}

/** `ticket 14`, `reply 3 of ticket 14`, `username "ada"`. */
export function nameRow(ids: Readonly<Record<string, string>>, noun: string): string {
	const { taxonomy, username, id, slug } = ids;
	if (username !== undefined) return `username ${JSON.stringify(username)}`;
	const own = id ?? slug;
	const owners = Object.keys(ids).filter((name) => name.endsWith('_id') && own !== undefined);
	const parts = [
		taxonomy === undefined ? noun : `${taxonomy} term`,
		own ?? Object.values(ids)[0] ?? '',
		...owners.map((name) => `of ${name.slice(0, -'_id'.length)} ${ids[name]}`),
	];
	return parts.filter((part) => part !== '').join(' ');
}
