/** How `login` asks the service who is calling: the look-up of a user's id by name, which changes nothing. */

import { createDialect } from '../../api/dialect.js';
import { endpoints } from '../../api/endpoints.js';
import { createPlanner } from '../../api/plan.js';
import { judgeAnswer } from '../../http/answer.js';
import type { Attempt } from '../../http/client.js';
import type { Ask, ProbeAnswer } from '../../profile/probe.js';
import type { Auth, ResolvedConnection } from '../../profile/resolve.js';
import type { Invocation } from '../command.js';
import { openClient } from '../session.js';

export interface SignInTarget extends Pick<ResolvedConnection, 'timeoutMs' | 'prefixes' | 'tls' | 'proxy'> {
	/** Sent only when asked for. */
	auth: Auth;
	/** Whose id is looked up: the caller's own name where one is known. */
	username: string | undefined;
}

/** A name to look up where the caller has none; that it is unknown to the service is an answer too. */
const ANY_NAME = 'supportctl';

/** Path and body of the call (interface section 4, POST /users/username). */
export function lookUp(target: Pick<SignInTarget, 'prefixes' | 'username'>): { path: string; body: string } {
	const plan = createPlanner(endpoints['user.id'], createDialect(target.prefixes));
	const { path, body } = plan({ ids: {}, fields: { username: target.username ?? ANY_NAME } });
	return { path, body: body ?? '{}' };
}

async function toProbeAnswer(attempt: Attempt): Promise<ProbeAnswer> {
	if (attempt.kind === 'problem') {
		return { kind: 'problem', code: attempt.problem.code, message: attempt.problem.message };
	}
	const { answer } = attempt;
	const verdict = await judgeAnswer(answer, endpoints['user.id'], createDialect());
	if (answer.incomplete !== undefined) {
		return { kind: 'problem', code: answer.incomplete.code, message: answer.incomplete.message };
	}
	return {
		kind: 'answer',
		status: answer.status,
		json: verdict.hasBody,
		...(verdict.code !== undefined && { code: verdict.code }),
		...(verdict.message !== undefined && { message: verdict.message }),
		...(verdict.location !== undefined && { location: verdict.location }),
	};
}

/** Asks one question a connection; nothing is kept open. */
export function createAsk(invocation: Invocation, target: SignInTarget): Ask {
	const { path, body } = lookUp(target);
	return async ({ baseUrl, credentials }) => {
		const auth: Auth = credentials ? target.auth : { scheme: 'none' };
		const client = await openClient(invocation, { ...target, baseUrl, auth }, 1);
		try {
			return await toProbeAnswer(await client.send({ method: 'POST', path, body }));
		} finally {
			await client.close();
		}
	};
}
