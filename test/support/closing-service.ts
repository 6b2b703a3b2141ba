import { json, type Responder } from './recorder.js';

const ok = json(200, { id: 1 });
const refused = json(401, { code: 'rest_no', message: 'Sorry.', data: { status: 401 } });

/** A service that wants other credentials after so many answers, until it is told otherwise. */
export function closing(after: number): { answer: Responder; open(): void } {
	let closed = true;
	let served = 0;
	return {
		answer: (request, response, count) => (closed && ++served > after ? refused : ok)(request, response, count),
		open() {
			closed = false;
		},
	};
}
