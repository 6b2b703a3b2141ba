import { startDesk } from './desk.js';
import { done, json, type RecordedRequest } from './recorder.js';

const ok = done();
const refused = json(401, { code: 'rest_no', message: 'Sorry.', data: { status: 401 } });

/** A desk that refuses the credentials behind so many writes; `open` ends that, and forgets them. */
export async function startClosing(after: number, isFree = (_request: RecordedRequest): boolean => false) {
	let left = after;
	const { recorder, work } = await startDesk((request) => (isFree(request) || left-- > 0 ? ok : refused));
	const open = (): void => {
		left = Number.POSITIVE_INFINITY;
		recorder.writes.length = 0;
	};
	return { recorder, work, open };
}
