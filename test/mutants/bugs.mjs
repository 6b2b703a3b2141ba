/**
 * Bugs that a change could bring into what decides whether a request is sent, sent again, counted as done or reported as
 * what it is; each has to be noticed by the tests that it names.
 *
 * A bug stands in what a file exports: a function from the real export to the one with the bug. It refers to behavior,
 * so that moving lines within a file does not touch it. It sees nothing of this file but its own parameters.
 * `npm run mutants -- PART` runs those whose file, name, loss or test contains PART.
 */

/**
 * @typedef {object} Bug
 * @property {string} file
 * @property {string} name an export of it
 * @property {(real: any, module: any) => unknown} becomes
 * @property {string} loss what a user would lose
 * @property {readonly string[]} tests
 */

/**
 * @param {string} file @param {string} name @param {readonly string[]} tests
 * @param {Record<string, Bug['becomes']>} planted by what a user would lose
 * @returns {Bug[]}
 */
function bugsIn(file, name, tests, planted) {
	return Object.entries(planted).map(([loss, becomes]) => ({ file, name, becomes, loss, tests }));
}

const retry = ['test/http/retry.test.ts'];

/** @type {readonly Bug[]} */
export const bugs = [
	...bugsIn('src/http/send.ts', 'decideRetry', retry, {
		'a credential check is sent twice, and may lock the account': (real) => (facts) =>
			real({ ...facts, replay: facts.replay === 'once' ? 'read' : facts.replay }),
		'a request that the service failed twice is sent again and again': (real) => (facts) =>
			real({ ...facts, failedBefore: false }),
		'--retries 4 retries three times': (real) => (facts) => real({ ...facts, attempt: facts.attempt + 1 }),
		'Retry-After is not obeyed': (real) => (facts) => real({ ...facts, retryAfterMs: undefined }),
		'what got an unreadable response is sent again': (real) => (facts) =>
			real({ ...facts, retry: facts.retry === 'never' ? 'later' : facts.retry }),
	}),
	...bugsIn('src/http/send.ts', 'backoffMs', retry, {
		'the first wait is twice as long as documented': (real) => (attempt, random) => real(attempt + 1, random),
		'waits double without end': () => (attempt, random) => ((1 + random) / 2) * 500 * 2 ** (attempt - 1),
	}),
	...bugsIn('src/http/send.ts', 'parseRetryAfter', retry, {
		'a wrong clock here turns a date in Retry-After into any wait': (real) => (value, now) => real(value, now),
	}),
];
