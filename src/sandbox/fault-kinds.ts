/** The kinds of trouble that `--fail-rate` draws from, in the words of its help. */

/** Their order is a part of what a seed gives. */
export const faultKinds = {
	'bad-gateway': 'error 502',
	unavailable: 'error 503',
	critical: 'error 500',
	'drop-before': 'a connection dropped before the work is done',
	'drop-after': 'one dropped after it',
} as const;

export type FaultKind = keyof typeof faultKinds;
