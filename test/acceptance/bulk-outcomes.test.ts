/** Whatever a service does, what a run says of each row is what became of it there. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLines } from '../support/cli.js';
import { startDesk } from '../support/desk.js';
import { done, idOf, json, type Responder } from '../support/recorder.js';
import { hastyClock, type Workplace } from '../support/workplace.js';

/** What a service may do with a request: whether it carries it out, and what it says. */
const behaviours = {
	ok: { acts: true, says: 'yes' },
	refused: { acts: false, says: 'no' },
	broken: { acts: false, says: 'no' },
	busy: { acts: false, says: 'later' },
	'too many': { acts: false, says: 'later' },
	'drops it': { acts: false, says: 'nothing' },
	'drops the response': { acts: true, says: 'nothing' },
	'gateway gives up': { acts: true, says: 'nothing' },
	'cuts the response': { acts: true, says: 'nothing' },
} as const;

type Behaviour = keyof typeof behaviours;

const responses: Record<Behaviour, Responder> = {
	ok: done(),
	refused: json(400, { code: 'rest_invalid_param', message: 'No.' }),
	broken: json(500, { code: 'internal_server_error', message: 'Broken.' }),
	busy: json(503, { code: 'busy', message: 'Busy.' }),
	'too many': json(429, { code: 'too_many', message: 'Later.' }, { 'retry-after': '1' }),
	'drops it': (_request, response) => void response.destroy(),
	'drops the response': (_request, response) => void response.destroy(),
	'gateway gives up': (_request, response) => void response.writeHead(502).end(),
	'cuts the response'(_request, response) {
		response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
		response.write('{"id":1');
		setImmediate(() => response.destroy());
	},
};

interface Seen {
	acted: number;
	last: Behaviour | 'gone';
	lost: boolean;
	requests: number;
}

const behaviour = fc.oneof(
	{ weight: 12, arbitrary: fc.constant<Behaviour>('ok') },
	{ weight: 9, arbitrary: fc.constantFrom(...(Object.keys(behaviours) as Behaviour[])) },
);

const ROWS = 40;

async function runAgainst(script: readonly Behaviour[], command: 'update' | 'delete', more: string[]) {
	const seen = new Map<number, Seen>();
	const state = { healthy: false };
	const { work } = await startDesk((request, response, count) => {
		const id = idOf(request);
		const before = seen.get(id) ?? { acted: 0, last: 'ok', lost: false, requests: 0 };
		const does = state.healthy ? 'ok' : (script[count % script.length] as Behaviour);
		const isGone = command === 'delete' && before.acted > 0 && behaviours[does].says !== 'later' && does !== 'drops it';
		const { acts, says } = behaviours[does];
		seen.set(id, {
			acted: before.acted + (acts && !isGone ? 1 : 0),
			last: isGone ? 'gone' : does,
			lost: before.lost || says === 'nothing',
			requests: before.requests + 1,
		});
		const responder = isGone ? json(404, { code: 'rest_post_invalid_id', message: 'Gone.' }) : responses[does];
		responder(request, response, count);
	});
	work.sheet('rows.csv', 'id', ROWS, (row) => String(row));
	const fields = command === 'update' ? ['--status', 'hold'] : ['--yes'];
	const args = ['ticket', command, '--input', 'rows.csv', ...fields, '-q', '--format', 'ndjson', ...more];
	const result = await work.run(args, { clock: hastyClock(200) });
	return { work, result, seen, state };
}

interface Printed {
	id: number;
	outcome: string;
	attempts: number;
}

const printed = (stdout: string): Printed[] => jsonLines<Printed>(stdout);

/** What of a row's outcome is not what became of it. */
function mistake(outcome: string, { acted, last, lost }: Seen, command: string): string | undefined {
	const says = last === 'gone' ? 'no' : behaviours[last].says;
	switch (outcome) {
		case 'ok':
			return acted > 0 ? undefined : 'ok, but it was never carried out';
		case 'failed':
			if (says !== 'no' && says !== 'later') return `failed, but the service said ${says}`;
			if (command === 'delete' && acted > 0) return 'failed, but it was carried out';
			return says === 'later' && lost ? 'failed, but an earlier response was lost' : undefined;
		case 'not-sent':
			return acted === 0 && !lost ? undefined : 'not-sent, but it may have been carried out';
		case 'unknown':
			return lost ? undefined : 'unknown, but nothing was lost';
		default:
			return `an outcome ${outcome}`;
	}
}

function check(outcomes: readonly Printed[], seen: ReadonlyMap<number, Seen>, command: string): void {
	expect(new Set(outcomes.map(({ id }) => id)).size).toBe(outcomes.length);
	const found = outcomes.flatMap(({ id, outcome, attempts }) => {
		const row = seen.get(id) ?? { acted: 0, last: 'drops it' as const, lost: false, requests: 0 };
		const wrong =
			mistake(outcome, row, command) ?? (attempts === row.requests ? undefined : 'it counts its attempts wrongly');
		return wrong === undefined ? [] : [`row ${id}: ${wrong} (${JSON.stringify(row)})`];
	});
	expect(found).toEqual([]);
}

/** The last outcome of each row in the journal. */
function journalled(work: Workplace): Map<number, string> {
	const last = new Map<number, string>();
	for (const { type, id, outcome } of work.records()) if (type === 'row') last.set(Number(id), outcome as string);
	return last;
}

describe.each(['update', 'delete'] as const)('ticket %s', (command) => {
	it('says of each row what became of it, on stdout and in the journal; a resume then leaves nothing open', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(behaviour, { minLength: 5, maxLength: 30 }),
				fc.constantFrom('1', '4'),
				async (script, workers) => {
					const { work, result, seen, state } = await runAgainst(script, command, ['-j', workers, '--retries', '2']);
					const outcomes = printed(result.stdout);
					check(outcomes, seen, command);
					expect(journalled(work)).toEqual(new Map(outcomes.map(({ id, outcome }) => [id, outcome])));
					for (const { requests } of seen.values()) expect(requests).toBeLessThanOrEqual(3);

					state.healthy = true;
					const before = journalled(work);
					const resumed = await work.run('run resume last -q --yes', { clock: hastyClock(200) });
					const after = journalled(work);
					expect(after.size).toBe(ROWS);
					for (const [id, outcome] of after) {
						if (before.get(id) === 'failed') expect(outcome).toBe('failed');
						else
							expect({ id, outcome, acted: seen.get(id)?.acted }).toEqual({
								id,
								outcome: 'ok',
								acted: expect.any(Number),
							});
						if (outcome === 'ok') expect(seen.get(id)?.acted).toBeGreaterThan(0);
					}
					expect([0, 1, 3]).toContain(resumed.exitCode);
				},
			),
			{ numRuns: 6, endOnFailure: true },
		);
	});
});

it('a refusal after a lost response and a 503 leaves the row unknown', async () => {
	const { work } = await startDesk((_request, response, count) => {
		if (count === 1) return void response.destroy();
		if (count === 2) return responses.busy;
		return json(403, { code: 'rest_forbidden', message: 'Not yours.' });
	});
	const { exitCode, stdout } = await work.run('ticket update 1 --author 7 --json');
	expect(JSON.parse(stdout)[0]).toMatchObject({ outcome: 'unknown', attempts: 3, status: 403 });
	expect(exitCode).toBe(5);
});
