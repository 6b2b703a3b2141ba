/**
 * Bugs that a change could bring into what decides whether a request is sent, sent again, counted as done or reported as
 * what it is; each has to be noticed by the tests that it names.
 *
 * A bug stands in what a file exports: a function from the real export to the one with the bug. It refers to behavior,
 * so that moving lines within a file does not touch it. It sees nothing of this file but its own parameters.
 * What the file itself uses is reached by changing a class or a table in place.
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

/** @type {readonly Bug[]} */
const http = [
	...bugsIn('src/http/judge.ts', 'judge', ['test/http/judge.test.ts'], {
		'a response that shows a different object counts as done':
			(real) =>
			(request, ...rest) =>
				real({ ...request, ids: {}, endpoint: { ...request.endpoint, parent: undefined } }, ...rest),
		'a refusal after a lost response says that nothing was done': (real) => (request, response, _history, reading) =>
			real(request, response, {}, reading),
		'values that the service changed are ok':
			(real) =>
			(request, ...rest) =>
				real({ ...request, sent: {} }, ...rest),
		'a web page counts as done':
			(real) =>
			(...given) => {
				const outcome = real(...given);
				return outcome.code === 'html_response' ? { ...outcome, outcome: 'ok' } : outcome;
			},
		'a delete of what was never there is ok without --ignore-missing':
			(real) =>
			(request, response, history, reading = {}) =>
				real(request, response, history, { ...reading, ignoreMissing: true }),
		'a permanent delete that went to the trash is ok':
			(real) =>
			(request, ...rest) =>
				real({ ...request, permanent: !request.permanent }, ...rest),
		'a server error leaves nothing open':
			(real) =>
			(...given) => {
				const { mayBePartly: _, ...outcome } = real(...given);
				return outcome;
			},
		'a redirect looks like a response of the service':
			(real) =>
			(...given) => {
				const { notServed: _, ...outcome } = real(...given);
				return outcome;
			},
	}),
	...bugsIn('src/http/response.ts', 'readContent', ['test/http/judge.test.ts'], {
		'a PHP notice before the JSON says nothing': (real) => (response) => ({
			...real(response),
			before: '',
			warnings: [],
		}),
	}),
	...bugsIn('src/http/send.ts', 'decideRetry', ['test/http/retry.test.ts'], {
		'a credential check is sent twice, and may lock the account': (real) => (facts) =>
			real({ ...facts, replay: facts.replay === 'once' ? 'read' : facts.replay }),
		'a request that the service failed twice is sent again and again': (real) => (facts) =>
			real({ ...facts, failedBefore: false }),
		'--retries 4 retries three times': (real) => (facts) => real({ ...facts, attempt: facts.attempt + 1 }),
		'Retry-After is not obeyed': (real) => (facts) => real({ ...facts, retryAfterMs: undefined }),
		'what got an unreadable response is sent again': (real) => (facts) =>
			real({ ...facts, retry: facts.retry ?? 'later' }),
	}),
	...bugsIn('src/http/send.ts', 'backoffMs', ['test/http/retry.test.ts'], {
		'the first wait is twice as long as documented': (real) => (attempt, random) => real(attempt + 1, random),
		'waits double without end': () => (attempt, random) => ((1 + random) / 2) * 500 * 2 ** (attempt - 1),
	}),
	...bugsIn('src/http/send.ts', 'parseRetryAfter', ['test/http/retry.test.ts'], {
		'a wrong clock here turns a date in Retry-After into any wait': (real) => (value, now) => real(value, now),
		'a date in Retry-After is not understood': (real) => (value, now, date) =>
			/[a-z]/i.test(value ?? '') ? undefined : real(value, now, date),
	}),
];

/** @type {readonly Bug[]} */
const api = [
	...bugsIn('src/api/applied.ts', 'compareValue', ['test/api/applied.test.ts'], {
		'what can not be compared counts as the same':
			(real) =>
			(...given) => {
				const equality = real(...given);
				return equality === 'not comparable' ? 'same' : equality;
			},
		'IDs and slugs of one term differ': (real) => (field, sent, shown) => real(field, sent, shown),
	}),
	...bugsIn('src/api/applied.ts', 'compareAll', ['test/api/applied.test.ts'], {
		'a password that is not shown counts as changed': (real) => (endpoint, sent, shown, terms) => {
			const { differs, open } = real(endpoint, sent, shown, terms);
			return { differs: [...differs, ...open.map((field) => ({ field, sent: sent[field], shown: null }))], open: [] };
		},
		'a field that was ignored goes unnoticed':
			(real) =>
			(...given) => ({ ...real(...given), differs: [] }),
	}),
	...bugsIn('src/api/applied.ts', 'readCustomFields', ['test/api/applied.test.ts'], {
		'any object is a list of custom fields': (real) => (body) => real(body) ?? body,
	}),
	...bugsIn('src/api/endpoints.ts', 'endpoints', ['test/api/endpoints.test.ts', 'test/contract/endpoints.test.ts'], {
		'a credential check may be sent twice': (real) => {
			real['user.check'].replay = 'read';
			return real;
		},
		'a user is deleted without the force that the API requires': (real) => {
			real['user.delete'].query = real['user.delete'].query.filter(({ name }) => name !== 'force');
			return real;
		},
	}),
	...bugsIn('src/api/endpoints.ts', 'endpoints', ['test/acceptance/bulk-order.test.ts'], {
		'application passwords of one user are deleted at the same time, and come back': (real) => {
			real['user.password.delete'].changes = undefined;
			return real;
		},
	}),
	...bugsIn('src/api/endpoints.ts', 'endpoints', ['test/acceptance/round-trip.test.ts'], {
		'a priority loses its color with each update': (real) => {
			real['term.update'].cleared = [];
			return real;
		},
	}),
	...bugsIn('src/api/request.ts', 'createPlanner', ['test/api/request.test.ts'], {
		'a ticket for the trash is deleted permanently': (real) => (endpoint, dialect) => {
			const plan = real(endpoint, dialect);
			return (row) => plan({ ...row, force: true });
		},
		'--force moves to the trash': (real) => (endpoint, dialect) => {
			const plan = real(endpoint, dialect);
			return (row) => plan({ ...row, force: false });
		},
		'posts of a deleted user have no receiver': (real) => (endpoint, dialect) => {
			const plan = real(endpoint, dialect);
			return (row) => plan({ ...row, reassign: undefined });
		},
		'rows of one reply under two tickets are sent at the same time': (real) => (endpoint, dialect) => {
			const plan = real(endpoint, dialect);
			return (row) => {
				const request = plan(row);
				return { ...request, key: request.path };
			};
		},
	}),
	...bugsIn('src/api/request.ts', 'parseTaxonomy', ['test/acceptance/input-checks.test.ts'], {
		'terms of an undocumented taxonomy are deleted without --undocumented': (real) => (endpoint, text) =>
			real(endpoint, text, true),
	}),
	...bugsIn('src/api/values.ts', 'parseId', ['test/api/values.test.ts'], {
		'007 is ticket 7': (real) => (text) => real(text.replace(/^0+(?=\d)/, '')),
		'an ID with spaces inside is two IDs in one': (real) => (text) => real(text.replaceAll(' ', '')),
	}),
	...bugsIn('src/api/values.ts', 'parseField', ['test/api/values.test.ts'], {
		'a misspelled status reaches the service': (real) => (field, text, rules) =>
			real(field, text, { ...rules, undocumented: true }),
	}),
	...bugsIn('src/http/judge.ts', 'lookedUpId', ['test/http/judge.test.ts'], {
		'ID 0 is a user': (real) => (body) => (body?.id === 0 ? '0' : real(body)),
	}),
	...bugsIn('src/api/suggest.ts', 'nearest', ['test/cli/program.test.ts'], {
		'a typo gets no suggestion': () => () => undefined,
	}),
	...bugsIn('src/api/dialect.ts', 'bodyOut', ['test/api/dialect.test.ts', 'test/api/request.test.ts'], {
		"a deployment's own field names are not used": () => (_dialect, fields) => fields,
	}),
];

/** @type {readonly Bug[]} */
const journal = [
	...bugsIn('src/bulk/journal/counts.ts', 'exitCodeOf', ['test/bulk/journal/counts.test.ts'], {
		'a script treats an interrupted run as done': (real) => (counts) => real(counts, false),
		'wrong credentials look like a failed row': (real) => (counts, interrupted) =>
			real({ ...counts, unauthorized: 0 }, interrupted),
		'an undo that left rows behind exits 0': (real) => (counts, interrupted) =>
			real({ ...counts, left: 0 }, interrupted),
		'rows that were never sent do not count': (real) => (counts, interrupted) =>
			real({ ...counts, 'not-sent': 0 }, interrupted),
		'an unknown outcome exits 0': (real) => (counts, interrupted) => real({ ...counts, unknown: 0 }, interrupted),
		'differing values exit 0': (real) => (counts, interrupted) => real({ ...counts, differs: 0 }, interrupted),
		'a run with one failed row looks like one in which all failed': (real) => (counts, interrupted) => {
			const code = real(counts, interrupted);
			return code === 3 ? 1 : code;
		},
	}),
	...bugsIn('src/bulk/journal/counts.ts', 'nextSteps', ['test/bulk/journal/counts.test.ts'], {
		'rows are fixed before the rest is sent': (real) => (id, counts, resumable) =>
			real(id, counts, resumable).reverse(),
		'nothing says that rows are left': (real) => (id, counts) => real(id, counts, false),
	}),
	...bugsIn(
		'src/bulk/journal/counts.ts',
		'isDoneState',
		['test/bulk/journal/counts.test.ts', 'test/bulk/journal/read.test.ts'],
		{
			'every row is sent again by a resume': () => () => false,
		},
	),
	...bugsIn(
		'src/bulk/journal/counts.ts',
		'stateOf',
		['test/bulk/journal/counts.test.ts', 'test/bulk/journal/read.test.ts'],
		{
			'a row whose response was lost counts as never sent': (real) => (outcome) =>
				real({ ...outcome, outcome: outcome.outcome === 'unknown' ? 'not-sent' : outcome.outcome }),
			'a resume does not send rows that a 401 refused': (real) => (outcome) =>
				real({ ...outcome, status: outcome.status === 401 ? 403 : outcome.status }),
		},
	),
	...bugsIn(
		'src/bulk/journal/records.ts',
		'recordIn',
		['test/bulk/journal/read.test.ts', 'test/bulk/journal/write.test.ts'],
		{
			'one flipped bit makes a row done': (real) => (line) => {
				try {
					// Any line gets the checksum that it should have.
					const { crc: _, ...record } = JSON.parse(line);
					const content = JSON.stringify(record).slice(0, -1);
					const sum = process.getBuiltinModule('node:zlib').crc32(content).toString(16).padStart(8, '0');
					return real(`${content},"crc":"${sum}"}`);
				} catch {
					return real(line);
				}
			},
		},
	),
	...bugsIn('src/bulk/journal/records.ts', 'beforeLine', ['test/bulk/journal/write.test.ts'], {
		'old secrets are kept in the journal': (real) => (row, ids, old) => real(row, ids, old, (value) => value),
	}),
	...bugsIn(
		'src/bulk/journal/history.ts',
		'RowStates',
		['test/bulk/journal/read.test.ts', 'test/bulk/run/undo.test.ts'],
		{
			'an undo leaves what a lost request wrote': (real) => {
				real.prototype.mayBeWritten = function (row) {
					return this.outcomeOf(row) === 'ok';
				};
				return real;
			},
			'a lost delete that was applied ends as a failure': (real) => {
				real.prototype.maybeSent = () => false;
				return real;
			},
			'a row is done in a damaged journal although its record is lost': (real) => {
				Object.defineProperty(real.prototype, 'doubtful', { get: () => false, set: () => undefined });
				real.prototype.add = () => undefined;
				return real;
			},
		},
	),
	...bugsIn('src/bulk/journal/history.ts', 'JournalScan', ['test/bulk/journal/read.test.ts'], {
		'a run that was killed looks as if it had ended': (real) => {
			Object.defineProperty(real.prototype, 'wasKilled', { get: () => false });
			return real;
		},
		'a record of a row that the input does not have is counted': (real) => {
			const { take } = real.prototype;
			real.prototype.take = function (record) {
				return take.call(this, record.row > 1000 ? { ...record, row: 1 } : record);
			};
			return real;
		},
	}),
	...bugsIn('src/bulk/journal/folder.ts', 'findRun', ['test/bulk/journal/folder.test.ts'], {
		'the prefix of two runs is the first of them': (real, module) => (folder, name, cwd) => {
			const found = module.runIds(folder).find((id) => id.startsWith(name));
			return found === undefined ? real(folder, name, cwd) : module.journalPath(folder, found);
		},
	}),
	...bugsIn(
		'src/bulk/journal/header.ts',
		'headerProblem',
		['test/bulk/journal/write.test.ts', 'test/bulk/journal/read.test.ts'],
		{
			'a journal from elsewhere sends credentials below another path': () => () => undefined,
		},
	),
];

/** @type {readonly Bug[]} */
const run = [
	...bugsIn('src/bulk/run/stop.ts', 'StopWatch', ['test/bulk/run/stop.test.ts'], {
		'wrong credentials are sent with every row, and lock the account': (real) =>
			class extends real {
				look(outcome) {
					return super.look(outcome.status === 401 ? { ...outcome, status: 403 } : outcome);
				}
			},
		'--stop-on-error goes on': (real) =>
			class extends real {
				constructor(rules, concurrency) {
					super({ ...rules, onError: false }, concurrency);
				}
			},
		'--max-failures 3 stops after the third': (real) =>
			class extends real {
				constructor(rules, concurrency) {
					super({ ...rules, maxFailures: rules.maxFailures && rules.maxFailures - 1 }, concurrency);
				}
			},
		'a service that asks to wait for an hour is asked by every row': (real) => {
			real.prototype.lookRead = () => undefined;
			return real;
		},
		'a service that is gone is waited for forever': (real) => {
			real.prototype.lookAttempt = () => undefined;
			return real;
		},
		'the first deleted tickets of a list end a run': (real) =>
			class extends real {
				look(outcome) {
					return super.look({ ...outcome, status: outcome.status === 404 ? 400 : outcome.status });
				}
			},
		'a request that no row survives is sent 5,000 times': (real) =>
			class extends real {
				look(outcome) {
					const stop = super.look(outcome);
					return stop?.kind === 'same-refusal' ? undefined : stop;
				}
			},
	}),
	...bugsIn('src/bulk/run/engine.ts', 'runEngine', ['test/bulk/run/engine.test.ts'], {
		'rows of one object are sent at the same time': (real) => (options) =>
			real({
				...options,
				rows: (async function* () {
					for await (const batch of options.rows) {
						yield batch.map((row) => ({ ...row, request: { ...row.request, key: String(row.row) } }));
					}
				})(),
			}),
		'-j 4 sends five at a time': (real) => (options) => real({ ...options, limit: () => options.limit() + 1 }),
		'Ctrl-C stops nothing': (real) => (options) => real({ ...options, stop: new AbortController().signal }),
		'a row counts as done before its record is on disk': (real) => (options) =>
			real({
				...options,
				async perform(row) {
					void options.perform(row);
				},
			}),
	}),
	...bugsIn('src/bulk/lists/batches.ts', 'inOrder', ['test/bulk/run/engine.test.ts'], {
		'results are listed in the order in which they come': (real) =>
			async function* (items, concurrency, work) {
				const results = [];
				for await (const result of real(items, concurrency, async (item) => {
					results.push(await work(item));
				})) {
					void result;
					yield results.shift();
				}
			},
	}),
	...bugsIn('src/bulk/run/survey.ts', 'checkSet', ['test/bulk/run/survey.test.ts'], {
		'--expect is not checked': (real) => (survey, limits) => real(survey, { ...limits, expect: undefined }),
		'--max is not checked': (real) => (survey, limits) => real(survey, { ...limits, max: undefined }),
	}),
	...bugsIn('src/bulk/plan.ts', 'inShard', ['test/bulk/plan.test.ts'], {
		'two shards send the same row': () => () => true,
		'the first shard has no rows': (real) => (key, shard) => shard.index > 1 && real(key, shard),
	}),
	...bugsIn('src/bulk/run/decide.ts', 'decide', ['test/bulk/run/send-row.test.ts'], {
		'--if updates tickets that do not match': (real) => (row, held, plan) =>
			real(row, held, { ...plan, checks: { ...plan.checks, conditions: [] } }),
		'--if-unmodified overwrites the work of others': (real) => (row, held, plan) =>
			real(row, held, { ...plan, checks: { ...plan.checks, ifUnmodified: false } }),
		'fields that already have their value are sent': (real) => (row, held, plan) =>
			real(row, held, { ...plan, checks: { ...plan.checks, sendUnchanged: true } }),
		'an undo overwrites what was changed since': (real) => (row, held, plan) =>
			real({ ...row, expected: undefined }, held, plan),
		'--remove-ticket-tag removes nothing': (real) => (row, held, plan) =>
			real(row, held, { ...plan, values: { ...plan.values, remove: {} } }),
	}),
	...bugsIn('src/bulk/run/send-row.ts', 'RowSender', ['test/bulk/run/send-row.test.ts'], {
		'--verify reads nothing': (real) =>
			class extends real {
				constructor(parts) {
					super({ ...parts, plan: { ...parts.plan, checks: { ...parts.plan.checks, verify: false } } });
				}
			},
		'old values are not kept, and a run can not be undone': (real) =>
			class extends real {
				constructor(parts) {
					super({ ...parts, journal: { ...parts.journal, before: async () => undefined } });
				}
			},
		'a row that may have been sent is written twice': (real) =>
			class extends real {
				constructor(parts) {
					super({ ...parts, past: undefined });
				}
			},
		'every differing value is accepted': (real) =>
			class extends real {
				constructor(parts) {
					super({ ...parts, plan: { ...parts.plan, checks: { ...parts.plan.checks, allowDiffers: true } } });
				}
			},
	}),
	...bugsIn('src/bulk/run/undo.ts', 'undoPlan', ['test/bulk/run/undo.test.ts'], {
		'an undo overwrites without --overwrite': (real) => (header, path) => real(header, path, true),
	}),
	...bugsIn('src/bulk/run/resume.ts', 'openPast', ['test/acceptance/bulk-order.test.ts'], {
		'a resume writes an earlier row over a later one':
			(real) =>
			async (...given) =>
				Object.assign(await real(...given), { withoutSuperseded: (row) => row }),
	}),
	...bugsIn('src/bulk/run/rejects.ts', 'rejectsOf', ['test/cli/commands/run/list.test.ts'], {
		'rejects leave out what has to be fixed': (real) => (file, input, options) =>
			real(file, input, { ...options, outcomes: options.outcomes ?? ['failed'] }),
	}),
	...bugsIn('src/bulk/run/read-ahead.ts', 'mayReadAhead', ['test/bulk/run/read-ahead.test.ts'], {
		'a condition is checked on a value of a minute ago': () => () => true,
	}),
];

/** @type {readonly Bug[]} */
const input = [
	...bugsIn(
		'src/bulk/lists/pages.ts',
		'readPages',
		['test/bulk/lists/pages.test.ts', 'test/acceptance/lists.test.ts'],
		{
			'a list that shifts while it is read loses objects': (real) => (options) => real({ ...options, byId: undefined }),
			'a list ends after its first page': (real) => (options) => real({ ...options, most: 1 }),
		},
	),
	...bugsIn('src/bulk/lists/batches.ts', 'BatchReader', ['test/bulk/lists/batches.test.ts'], {
		'what a list leaves out is not read': (real) =>
			class extends real {
				async readAlone() {
					return { outcome: 'unknown', attempts: 0, ms: 0 };
				}
			},
	}),
	...bugsIn('src/bulk/lists/batches.ts', 'BatchReader', ['test/bulk/run/read-ahead.test.ts'], {
		'old values cost a request for each row': (real) =>
			class extends real {
				async readLists() {
					return new Map();
				}
			},
	}),
	...bugsIn('src/bulk/run/resume.ts', 'checkSameInput', ['test/bulk/run/resume.test.ts'], {
		'a resume sends rows of another file': () => () => undefined,
	}),
	...bugsIn('src/bulk/lists/query.ts', 'readQuery', ['test/bulk/lists/query.test.ts'], {
		'--assignee none lists what everyone has': (real) => async (given, sort, asked) => ({
			...(await real(given, sort, asked)),
			absent: [],
		}),
	}),
	...bugsIn('src/bulk/lists/sheet.ts', 'changedFields', ['test/bulk/lists/sheet.test.ts'], {
		'an edit sends what it did not change': () => (_before, after) => after,
	}),
	...bugsIn('src/io/editor.ts', 'createDraft', ['test/io/editor.test.ts'], {
		'an edit that was not sent is lost': (real) => (context) => ({ ...real(context), kept: () => undefined }),
	}),
	...bugsIn('src/bulk/lists/sheet.ts', 'createSheet', ['test/acceptance/round-trip.test.ts'], {
		'an unedited export changes tickets': (real) => (options) => {
			const sheet = real(options);
			return { ...sheet, exported: (object) => ({ ...sheet.whole(object) }) };
		},
	}),
	...bugsIn('src/bulk/input/columns.ts', 'fieldColumn', ['test/bulk/input/rows.test.ts'], {
		'an empty cell clears the field': (real) => (field, rules) => real(field, rules, true),
		'--blank clear leaves fields alone': (real) => (field, rules) => real(field, rules, false),
	}),
	...bugsIn('src/bulk/input/rows.ts', 'compileColumns', ['test/bulk/input/rows.test.ts'], {
		'a flag takes precedence over a cell': (real) => (options) => {
			const compiled = real(options);
			return {
				...compiled,
				read(raw) {
					const row = compiled.read(raw);
					return Array.isArray(row) ? row : { ...row, fields: { ...row.fields, ...options.flags?.fields } };
				},
			};
		},
		'columns that are no field are left out in silence': (real) => (options) => real({ ...options, ignoreOther: true }),
		'--map is not obeyed': (real) => (options) => real({ ...options, map: {} }),
		'two keys for one field are accepted': (real) => (options) => {
			const compiled = real(options);
			return {
				...compiled,
				read(raw) {
					const row = compiled.read(raw);
					const isClash = Array.isArray(row) && row.every(({ message }) => message.includes('is the same field'));
					return isClash ? { ids: {}, fields: {} } : row;
				},
			};
		},
	}),
	...bugsIn('src/bulk/input/csv.ts', 'delimiterOf', ['test/bulk/input/csv.test.ts'], {
		'sheets with semicolons are one column': () => () => ',',
	}),
	...bugsIn('src/bulk/input/checked-text.ts', 'checkedText', ['test/bulk/input/source.test.ts'], {
		'bytes in another encoding are sent as wrong letters': () =>
			async function* (chunks) {
				for await (const chunk of chunks) yield chunk.toString('latin1');
			},
	}),
];

/** @type {readonly Bug[]} */
const output = [
	...bugsIn('src/output/sanitise.ts', 'sanitise', ['test/output/sanitise.test.ts'], {
		'a title moves the cursor': () => (text) => text,
	}),
	...bugsIn('src/output/sanitise.ts', 'escapeJson', ['test/output/sanitise.test.ts'], {
		'JSON reorders the text of a terminal': () => (text) => text,
	}),
	...bugsIn('src/output/sanitise.ts', 'guardOutput', ['test/output/sanitise.test.ts'], {
		'a title is a command to a CI runner': () => (given) => given,
	}),
	...bugsIn('src/output/redact.ts', 'isSecretName', ['test/output/redact.test.ts'], {
		'passwords in meta are printed': (real) => (name) => real(name) && name !== 'user_pass',
	}),
	...bugsIn('src/output/redact.ts', 'redact', ['test/output/redact.test.ts'], {
		'secrets are printed': () => (value) => value,
	}),
	...bugsIn('src/output/redact.ts', 'redactUrl', ['test/output/redact.test.ts'], {
		'a password in a URL is printed': () => (text) => text,
	}),
	...bugsIn('src/output/redact.ts', 'createTextRedactor', ['test/output/redact.test.ts'], {
		"a service's error repeats our password": (real) => () => real([]),
	}),
	...bugsIn('src/output/errors.ts', 'exitCodeOfError', ['test/output/errors.test.ts', 'test/cli/program.test.ts'], {
		'an unexpected error exits 0': () => () => 0,
	}),
	...bugsIn('src/output/table.ts', 'truncate', ['test/output/table.test.ts'], {
		'a table is wider than the terminal': () => (text) => text,
	}),
	...bugsIn('src/text.ts', 'relativeTime', ['test/text.test.ts'], {
		'hours are minutes': (real) => (ms, now) => real(now - (now - ms) * 60, now),
	}),
];

/** @type {readonly Bug[]} */
const reports = [
	...bugsIn('src/bulk/reports/escape.ts', 'escapeXml', ['test/bulk/reports/junit.test.ts'], {
		'a title breaks the JUnit report': () => (text) => text,
	}),
	...bugsIn('src/bulk/reports/escape.ts', 'escapeMarkdown', ['test/bulk/reports/markdown.test.ts'], {
		'a title mentions people in a pull request': () => (text) => text,
	}),
];

/** @type {readonly Bug[]} */
const cli = [
	...bugsIn('src/profile/store.ts', 'secretIsFor', ['test/profile/resolve.test.ts', 'test/profile/edit.test.ts'], {
		'a base URL that was edited by hand gets the stored secret': () => () => undefined,
	}),
	...bugsIn('src/profile/settings.ts', 'parseBaseUrl', ['test/profile/resolve.test.ts'], {
		'credentials are sent unencrypted': (real) => (given, rules) => real(given, { ...rules, allowHttp: true }),
	}),
	...bugsIn('src/net.ts', 'mayBeLoopback', ['test/net.test.ts'], {
		'localhost.example.com is this machine': (real) => (host) => host.startsWith('localhost') || real(host),
	}),
	...bugsIn('src/profile/secrets.ts', 'checkSecret', ['test/profile/secrets.test.ts', 'test/profile/resolve.test.ts'], {
		'a password of two lines becomes a header': () => (_scheme, secret) => secret,
	}),
	...bugsIn('src/cli/words.ts', 'otherWords', ['test/cli/program.test.ts'], {
		'rm is an unknown command': (real) => new Map([...real].filter(([word]) => word !== 'rm')),
		'tickets is an unknown command': (real) => new Map([...real].filter(([word]) => word !== 'tickets')),
	}),
	...bugsIn('src/cli/words.ts', 'otherFlags', ['test/cli/program.test.ts'], {
		'--subject is an unknown flag': (real) => new Map([...real].filter(([flag]) => flag !== '--subject')),
	}),
	...bugsIn(
		'src/cli/unknown-flag.ts',
		'unknownFlag',
		['test/cli/program.test.ts', 'test/acceptance/input-checks.test.ts'],
		{
			'a typo in a flag gets no suggestion': (real) => (given, place) => real(given, { ...place, known: [] }),
			'the reason for a refused password is wrong':
				(real) =>
				(given, ...place) =>
					real(given.replace('password', 'pass-the-word'), ...place),
		},
	),
	...bugsIn('src/bulk/run/ready.ts', 'checkRun', ['test/acceptance/bulk-guards.test.ts'], {
		'a delete asks nobody':
			(real) =>
			(setup, ...rest) =>
				real({ ...setup, limits: { ...setup.limits, ask: async () => undefined } }, ...rest),
	}),
	...bugsIn('src/cli/runs/job.ts', 'stopGiven', ['test/cli/runs/past.test.ts'], {
		'a resume forgets when to stop': (real) => (options) => ({
			onError: false,
			...real(options),
			maxFailures: undefined,
		}),
	}),
	...bugsIn('src/bulk/journal/prune.ts', 'pruneSmallRuns', ['test/acceptance/single-writes.test.ts'], {
		'journals of single writes pile up': () => async () => undefined,
	}),
	...bugsIn('src/bulk/plan.ts', 'undoObstacle', ['test/acceptance/single-writes.test.ts'], {
		'an undo of a permanent delete does not say why it cannot': () => () => undefined,
	}),
	...bugsIn('src/cli/runs/questions.ts', 'confirmWrite', ['test/cli/commands/api.test.ts'], {
		'a delete by api asks nobody': () => async () => undefined,
	}),
	...bugsIn('src/bulk/journal/counts.ts', 'sumOf', ['test/cli/commands/run/list.test.ts'], {
		'only the first of several shards is added up': (real) => (parts) => real(parts.slice(0, 1)),
	}),
	...bugsIn('src/cli/runs/failures.ts', 'exitCodeOfOutcome', ['test/acceptance/responses.test.ts'], {
		'an unknown outcome of one object exits 0': (real) => (outcome) =>
			outcome.outcome === 'unknown' ? 0 : real(outcome),
	}),
];

export const bugs = [...http, ...api, ...journal, ...run, ...input, ...output, ...reports, ...cli];
