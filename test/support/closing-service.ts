import { done, json, type RecordedRequest } from './recorder.js';
import { startWorkplace } from './workplace.js';

const ok = done();
const refused = json(401, { code: 'rest_no', message: 'Sorry.', data: { status: 401 } });

/** A workplace whose service refuses the credentials behind so many requests; `open` ends that, and forgets the requests. */
export async function startClosing(after: number, isFree = (_request: RecordedRequest): boolean => false) {
	let left = after;
	const { recorder, work } = await startWorkplace((request) => (isFree(request) || left-- > 0 ? ok : refused));
	const open = (): void => {
		left = Number.POSITIVE_INFINITY;
		recorder.requests.length = 0;
	};
	return { recorder, work, open };
}
