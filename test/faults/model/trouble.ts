/** What goes wrong while a command runs. */

import type { Kind, Weather } from './desk.js';
import { Dice } from './dice.js';

export interface Trouble {
	/** Shares of requests that fail. */
	readonly faults?: Partial<Record<Kind, number>>;
	/** What all faults of writes are, or one of these each. */
	readonly only?: string | readonly string[] | undefined;
	/** It is killed at this request. */
	readonly killAt?: number | undefined;
	/** Somebody else edits an object at this request. */
	readonly editAt?: number | undefined;
	/** Mostly one of these. */
	readonly edited?: readonly string[];
}

const FAULTS: Readonly<Record<Kind, readonly string[]>> = {
	write: [
		...['reset before', 'reset after', '502 before', '502 after', 'cut after', '{} before', '{} after'],
		...['another before', 'another after', 'late', '403', '409', '303 before', '303 after', '429 0', '429 1'],
		...['part', 'page before', 'page after', '401'],
	],
	read: ['reset', '502', 'cut', '{}', '[]', 'another', 'late', '403', '409', '303', '429 0', 'page', '401'],
	list: [
		'reset',
		'502',
		'cut',
		'{}',
		'[]',
		'403',
		'409',
		'303',
		'429 0',
		'page',
		'fewer first',
		'fewer last',
		'twice',
		'repeated',
	],
	lookup: ['reset', '502', 'cut', '{}', '[]', 'another', 'late', '403', '409', '303', '429 0', 'page'],
};

/** Of a service on which all writes fail in one way. */
const ALIKE = ['403', '409', 'part', '{} before', 'reset before', 'reset after', 'late'];

/** @param isToStop whether the run has a rule that many failures stop it */
export function randomTrouble(dice: Dice, isToStop = false): Trouble {
	if (isToStop && dice.is(0.7)) {
		return {
			faults: { write: 0.8 },
			only: dice.of(['403', '409', '{} before']),
			killAt: dice.is(0.3) ? dice.to(8) : undefined,
		};
	}
	const killAt = dice.is(0.5) ? dice.to(16) : undefined;
	const share = dice.of([0.1, 0.3]);
	const faults = dice.of<Partial<Record<Kind, number>>>([
		{},
		{ write: share, read: share, list: share, lookup: share },
		{ write: 0.5 },
		{ read: 0.3, list: 0.3 },
		{ write: 0.3, lookup: 0.3, list: 0.3 },
	]);
	const only = faults.write !== undefined && dice.is(0.35) ? dice.of(ALIKE) : undefined;
	return { faults, only, killAt };
}

/** Each request's fault is a matter of the seed and the request, not of the order in which requests come. */
export function weatherOf({ faults = {}, only }: Trouble, seed: string): Weather {
	return (kind, { method, url, body }, tries) => {
		const dice = new Dice(`${seed} ${method} ${url} ${body} ${tries}`);
		if (!dice.is(faults[kind] ?? 0)) return undefined;
		const possible = kind === 'write' && only !== undefined ? [only].flat() : FAULTS[kind];
		const fault = dice.of(possible);
		// Nothing shows that custom fields are those of another ticket.
		return url.endsWith('/custom-fields') ? fault.replace('another', '502') : fault;
	};
}
