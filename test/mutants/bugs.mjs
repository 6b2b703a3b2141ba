/**
 * Bugs that a change could bring into what decides whether a request is sent, sent again, counted as done or reported as
 * what it is; each has to be noticed by the tests that it names.
 *
 * A bug is another text at one place of a file. Where the file changes, `npm test` says which bugs have lost
 * their place, without running them: find the place where the same loss would come from now, or drop the bug if
 * nothing can bring it any more.
 * `npm run mutants -- PART` runs those whose file, loss or test contains PART, `-- --quick` those that no whole command
 * is needed to notice.
 */

/**
 * @typedef {object} Bug
 * @property {string} file
 * @property {string} was stands in the file exactly once
 * @property {string} becomes
 * @property {string} loss what a user would lose
 * @property {readonly string[]} tests
 */

/**
 * @param {string} file @param {readonly string[]} tests
 * @param {Record<string, readonly [was: string, becomes: string]>} planted by what a user would lose
 * @returns {Bug[]}
 */
function bugsIn(file, tests, planted) {
	return Object.entries(planted).map(([loss, [was, becomes]]) => ({ file, was, becomes, loss, tests }));
}

/** @type {readonly Bug[]} */
const http = [
	...bugsIn('src/http/judge.ts', ['test/http/judge.test.ts'], {
		'a response that shows a different object counts as done': [
			'const other = otherObject(request, body);',
			'const other = undefined as string | undefined;',
		],
		'a refusal after a lost response says that nothing was done': [
			"if (name === 'failed' && before.mayBeApplied) {",
			'if (false) {',
		],
		'values that the service changed are ok': [
			"if (isItself || showsAll) return differs.length === 0 ? { outcome: 'ok' } : differing(differs);",
			"if (isItself || showsAll) return { outcome: 'ok' };",
		],
		'a web page counts as done': [
			"return { outcome: reads ? 'failed' : 'unknown', code, message: message",
			"return { outcome: 'ok', code, message: message",
		],
		'a delete of what was never there is ok without --ignore-missing': [
			'!isUpdate && (isOpen || ignoreMissing)',
			'!isUpdate',
		],
		'a permanent delete that went to the trash is ok': [
			"return shown === sent ? { outcome: 'ok' } :",
			"return true ? { outcome: 'ok' } :",
		],
		'a server error leaves nothing open': ['if (isOwn && writes(request)) finding.mayBePartly = true;', ''],
		'a redirect looks like a response of the service': [
			"code: 'redirect', message, location, notServed: true",
			"code: 'redirect', message, location",
		],
		'ID 0 is a user': [
			'isObject(body) && isId(body.id) ? String(body.id)',
			'isObject(body) && Number.isInteger(body.id) ? String(body.id)',
		],
	}),
	...bugsIn('src/http/response.ts', ['test/http/judge.test.ts'], {
		'a PHP notice before the JSON says nothing': [
			"const before = start === 0 ? '' : firstWords(text.slice(0, start));",
			"const before = '';",
		],
	}),
	...bugsIn('src/http/send.ts', ['test/http/retry.test.ts'], {
		'a credential check is sent twice, and may lock the account': [
			'retry === undefined || !repeats ||',
			'retry === undefined ||',
		],
		'a request that the service failed twice is sent again and again': [' || facts.failedBefore)', ')'],
		'--retries 4 retries three times': ['attempt > facts.retries', 'attempt >= facts.retries'],
		'Retry-After is not obeyed': [
			'return retryAfterMs + random * Math.min(1000, 100 + retryAfterMs / 10);',
			"return backoffMs('later', attempt, random);",
		],
		'what got an unreadable response is sent again': ['if (retry === undefined || !repeats', 'if (!repeats'],
		'the first wait is twice as long as documented': ['factor ** (attempt - 1)', 'factor ** attempt'],
		'waits double without end': [
			'Math.min(MAX_DELAY_MS, ms * factor ** (attempt - 1))',
			'ms * factor ** (attempt - 1)',
		],
		'a wrong clock here turns a date in Retry-After into any wait': [
			'date - (Date.parse(serviceDate) || now)',
			'date - now',
		],
		'a date in Retry-After is not understood': ['const date = parseHttpDate(text);', 'const date = Number.NaN;'],
	}),
];

/** @type {readonly Bug[]} */
const api = [
	...bugsIn('src/api/applied.ts', ['test/api/applied.test.ts'], {
		'what can not be compared counts as the same': ["if (compared === 'not comparable') open.push(field);", ''],
		'IDs and slugs of one term differ': [
			'compareRaw(kinds[kind].compare, sent, shown, name, terms)',
			'compareRaw(kinds[kind].compare, sent, shown, name)',
		],
		'a password that is not shown counts as changed': [
			"if (compared === 'other') differs",
			"if (compared !== 'same') differs",
		],
		'a field that was ignored goes unnoticed': ["if (compared === 'other') differs", 'if (false) differs'],
		'any object is a list of custom fields': [
			"if (!isObject(field) || !Object.hasOwn(field, 'value')) return undefined;",
			'if (!isObject(field)) continue;',
		],
	}),
	...bugsIn('src/api/endpoints.ts', ['test/api/endpoints.test.ts', 'test/contract/endpoints.test.ts'], {
		'a credential check may be sent twice': ["replay: 'once',", "replay: 'read',"],
		'a user is deleted without the force that the API requires': ["presence: 'always',", "presence: 'optional',"],
	}),
	...bugsIn('src/api/endpoints.ts', ['test/acceptance/bulk-order.test.ts'], {
		'application passwords of one user are deleted at the same time, and come back': ["changes: 'user_id',", ''],
	}),
	...bugsIn('src/api/endpoints.ts', ['test/acceptance/round-trip.test.ts'], {
		'a priority loses its color with each update': ["cleared: ['color'],", ''],
	}),
	...bugsIn('src/api/request.ts', ['test/api/request.test.ts'], {
		'a ticket for the trash is deleted permanently': [
			'(force !== undefined && isForced === true)',
			'force !== undefined',
		],
		'--force moves to the trash': [' || (force !== undefined && isForced === true)', ''],
		'posts of a deleted user have no receiver': ['if (takesReassign && reassign !== undefined)', 'if (false)'],
		'rows of one reply under two tickets are sent at the same time': [
			'const key = endpoint.changes === undefined ? path :',
			'const key = true ? path :',
		],
	}),
	...bugsIn('src/api/request.ts', ['test/acceptance/input-checks.test.ts'], {
		'terms of an undocumented taxonomy are deleted without --undocumented': [
			'if (undocumented) return parseSlug(text);',
			'return parseSlug(text);',
		],
	}),
	...bugsIn('src/api/values.ts', ['test/api/values.test.ts'], {
		'007 is a ticket': ['/^[1-9][0-9]*$/.test(digits)', '/^[0-9]+$/.test(digits)'],
		'an ID with spaces inside is two IDs in one': [
			"text.replace(ID_MARK, '')",
			"text.replace(ID_MARK, '').replaceAll(' ', '')",
		],
	}),
	...bugsIn('src/api/kinds.ts', ['test/api/values.test.ts'], {
		'a misspelled status reaches the service': [
			'return named(field, kinds[field.kind].parse(given, rules));',
			'return named(field, kinds[field.kind].parse(given, { ...rules, undocumented: true }));',
		],
	}),
	...bugsIn('src/api/suggest.ts', ['test/cli/program.test.ts'], {
		'a typo gets no suggestion': ['found = name;', ''],
	}),
	...bugsIn('src/api/dialect.ts', ['test/api/dialect.test.ts', 'test/api/request.test.ts'], {
		"a deployment's own field names are not used": ['return neutral ? body : translate(body, toOwn);', 'return body;'],
	}),
];

/** @type {readonly Bug[]} */
const journal = [
	...bugsIn('src/bulk/journal/counts.ts', ['test/bulk/journal/counts.test.ts'], {
		'a script treats an interrupted run as done': ['if (interrupted) return ExitCode.interrupted;', ''],
		'wrong credentials look like a failed row': ['if (counts.unauthorized > 0) return ExitCode.refused;', ''],
		'an undo that left rows behind exits 0': ['return counts.conflicts + counts.left;', 'return counts.conflicts;'],
		'rows that were never sent do not count': [
			'exit === ExitCode.failed) - counts.left_out + left;',
			"exit === ExitCode.failed) - counts['not-sent'] + left;",
		],
		'an unknown outcome exits 0': ['if (counts.unknown > 0) return ExitCode.unknown;', ''],
		'differing values exit 0': ['return counts.differs > 0 ? ExitCode.differs : ExitCode.ok;', 'return ExitCode.ok;'],
		'a run with one failed row looks like one in which all failed': [
			'return bad === total || (left > 0 && isNothingSent) ? ExitCode.failed : ExitCode.partial;',
			'return ExitCode.failed;',
		],
		'rows are fixed before the rest is sent': ['return steps;', 'return steps.reverse();'],
		'nothing says that rows are left': [
			"} else if (resumable) steps.push(['Send the rest',",
			"} else if (false) steps.push(['Send the rest',",
		],
	}),
	...bugsIn('src/bulk/journal/counts.ts', ['test/bulk/journal/counts.test.ts', 'test/bulk/journal/read.test.ts'], {
		'every row is sent again by a resume': [
			'return (state & REOPENED) === 0 && meaningIn(state)?.done === true;',
			'return false;',
		],
		'a row whose response was lost counts as never sent': ["['maybe', APPLIED],", ''],
		'a resume does not send rows that a 401 refused': [
			"'signed-out': bitsOf('unauthorized'),",
			"'signed-out': bitsOf('refused'),",
		],
	}),
	...bugsIn('src/bulk/journal/counts.ts', ['test/cli/commands/run/list.test.ts'], {
		'only the first of several shards is added up': [
			'for (const counts of parts) for',
			'for (const counts of parts.slice(0, 1)) for',
		],
	}),
	...bugsIn('src/bulk/journal/counts.ts', ['test/acceptance/responses.test.ts'], {
		'an unknown outcome of one object looks fine': [
			'countOutcome(counts, outcome);',
			"if (outcome.outcome !== 'unknown') countOutcome(counts, outcome);",
		],
	}),
	...bugsIn('src/bulk/journal/records.ts', ['test/bulk/journal/read.test.ts', 'test/bulk/journal/write.test.ts'], {
		'one flipped bit makes a row done': ['if (text !== content + sealOf(content)) return undefined;', ''],
	}),
	...bugsIn('src/bulk/journal/records.ts', ['test/bulk/journal/write.test.ts'], {
		'old secrets are kept in the journal': [
			'return JSON.stringify(redact(part)) !== JSON.stringify(part);',
			'return false;',
		],
		'a token inside an old value is kept in the journal': [
			'return JSON.stringify(redact(part)) !== JSON.stringify(part);',
			"return JSON.stringify(redact({ [name]: '' })) !== JSON.stringify({ [name]: '' });",
		],
	}),
	...bugsIn('src/bulk/journal/history.ts', ['test/bulk/journal/read.test.ts', 'test/bulk/run/undo.test.ts'], {
		'an undo leaves what a lost request wrote': [
			'(this.get(row) & (APPLIED | PARTLY | WRITTEN)) !== 0 ||',
			'(this.get(row) & WRITTEN) !== 0 ||',
		],
		'a lost delete that was applied ends as a failure': [
			'return this.doubtful || (this.get(row) & APPLIED) !== 0;',
			'return false;',
		],
		'a row is done in a damaged journal although its record is lost': ['this.states.doubtful = true;', ''],
	}),
	...bugsIn('src/bulk/journal/history.ts', ['test/bulk/journal/read.test.ts'], {
		'a run that was killed looks as if it had ended': ['return this.end === undefined;', 'return false;'],
		'a record of a row that the input does not have is counted': [
			"if ('row' in record && !this.#isInInput(record.row)) return",
			'if (false) return',
		],
	}),
	...bugsIn('src/bulk/journal/folder.ts', ['test/bulk/journal/folder.test.ts'], {
		'the prefix of two runs is the first of them': ['if (more.length > 0) {', 'if (false) {'],
	}),
	...bugsIn('src/bulk/journal/header.ts', ['test/bulk/journal/header.test.ts'], {
		'a journal from elsewhere sends credentials below another path': [
			'return valuesProblem((value as RunHeader).plan);',
			'return undefined;',
		],
	}),
	...bugsIn('src/bulk/journal/prune.ts', ['test/acceptance/single-writes.test.ts'], {
		'journals of single writes pile up': ['removeRun(stateDir, id);', 'continue;'],
	}),
];

/** @type {readonly Bug[]} */
const run = [
	...bugsIn('src/bulk/run/stop.ts', ['test/bulk/run/stop.test.ts'], {
		'wrong credentials are sent with every row, and lock the account': [
			"if (signedOut && isBad) return { kind: 'unauthorized', outcome };",
			'',
		],
		'--stop-on-error goes on': ["if (onError) return { kind: 'failure', outcome };", ''],
		'--max-failures 3 stops after the third': ['this.#failures > maxFailures', 'this.#failures >= maxFailures'],
		'a service that asks to wait for an hour is asked by every row': [
			'return outcome.code === WAIT_TOO_LONG ?',
			'return false ?',
		],
		'a service that is gone is waited for forever': ['return now - this.#awaySince < limit ?', 'return true ?'],
		'the first deleted tickets of a list end a run': ['(busy || isAboutOneObject(outcome))', 'busy'],
		'a request that no row survives is sent 5,000 times': ['if (rows >= SAME_REFUSALS) return', 'if (false) return'],
	}),
	...bugsIn('src/bulk/run/engine.ts', ['test/bulk/run/engine.test.ts'], {
		'rows of one object are sent at the same time': ['const { key } = row.request;', 'const key = String(row.row);'],
		'-j 4 sends five at a time': [
			'this.#objects.size >= this.options.limit()',
			'this.#objects.size > this.options.limit()',
		],
		'Ctrl-C stops nothing': [
			'return this.#failure === undefined && !this.options.stop.aborted;',
			'return this.#failure === undefined;',
		],
		'a row counts as done before its record is on disk': [
			'await this.options.perform(row);',
			'void this.options.perform(row);',
		],
	}),
	...bugsIn('src/bulk/run/survey.ts', ['test/bulk/run/survey.test.ts'], {
		'--expect is not checked': ['expect !== undefined && rows !== expect', 'false'],
		'--max is not checked': ['max !== undefined && rows > max', 'false'],
	}),
	...bugsIn('src/bulk/plan.ts', ['test/bulk/plan.test.ts'], {
		'two shards send the same row': ['=== shard.index - 1;', '>= 0;'],
		'the first shard has no rows': ['=== shard.index - 1;', '=== shard.index - 1 && shard.index > 1;'],
	}),
	...bugsIn('src/bulk/plan.ts', ['test/acceptance/single-writes.test.ts'], {
		'an undo of a permanent delete does not say why it cannot': [
			'if (checks.snapshot) return undefined;',
			'return undefined;',
		],
	}),
	...bugsIn('src/bulk/run/decide.ts', ['test/bulk/run/send-row.test.ts'], {
		'--if updates tickets that do not match': ["if (compared === 'same') continue;", 'continue;'],
		'--if-unmodified overwrites the work of others': ['if (known.value !== row.modified) return', 'if (false) return'],
		'fields that already have their value are sent': [
			'if (!isUnchanged(endpoint, name, value, held)) changed',
			'changed',
		],
		'an undo overwrites what was changed since': ["if (isThere || compared.includes('same')) continue;", 'continue;'],
		'--remove-ticket-tag removes nothing': ['!gone.has(String(item))', 'true'],
	}),
	...bugsIn('src/bulk/run/send-row.ts', ['test/bulk/run/send-row.test.ts'], {
		'--verify reads nothing': ['(plan.checks.verify || !isNamed ||', '(!isNamed ||'],
		'old values are not kept, and a run can not be undone': [
			'await journal?.before(row.row, ids, { ...old, anew: this.#wasWritten(row) ? undefined : true });',
			'',
		],
		'a row that may have been sent is written twice': [
			'const settled = maybeSent ? settledBy(row.request, first, plan) : undefined;',
			'const settled = undefined;',
		],
		'every differing value is accepted': ['if (allowDiffers === false) return result;', ''],
	}),
	...bugsIn('src/bulk/run/undo.ts', ['test/bulk/run/undo.test.ts'], {
		'an undo overwrites without --overwrite': ['expected: overwrite ? undefined : written,', 'expected: undefined,'],
	}),
	...bugsIn('src/bulk/run/resume.ts', ['test/acceptance/bulk-order.test.ts'], {
		'a resume writes an earlier row over a later one': ['laterRow(name) > row', 'false'],
	}),
	...bugsIn('src/bulk/run/resume.ts', ['test/bulk/run/resume.test.ts'], {
		'a resume sends rows of another file': [
			'if (rows.sha256() === input.sha256 && survey.rows === input.rows) return;',
			'return;',
		],
	}),
	...bugsIn('src/bulk/run/rejects.ts', ['test/cli/commands/run/list.test.ts'], {
		'rejects leave out what has to be fixed': [
			'outcomes === undefined ? isToFix(state) :',
			"outcomes === undefined ? outcomeIn(state) === 'failed' :",
		],
	}),
	...bugsIn('src/bulk/run/read-ahead.ts', ['test/bulk/run/read-ahead.test.ts'], {
		'a condition is checked on a value of a minute ago': [
			'return readsBefore(plan) && !isCondition &&',
			'return readsBefore(plan) &&',
		],
	}),
	...bugsIn('src/bulk/run/ready.ts', ['test/acceptance/bulk-guards.test.ts'], {
		'a delete asks nobody': [
			'await limits.ask(survey, plan, [...doubts, ...leftNotes(plan, left, survey.selected)], describe);',
			'',
		],
	}),
];

/** @type {readonly Bug[]} */
const input = [
	...bugsIn('src/bulk/lists/pages.ts', ['test/bulk/lists/pages.test.ts', 'test/acceptance/lists.test.ts'], {
		'a list that shifts while it is read loses objects': [
			'watch.see(page, before) && byId !== undefined;',
			'watch.see(page, before) && false;',
		],
		'a list ends after its first page': ['=> Math.min(most, Math.max(last, before.number + 1));', '=> 1;'],
	}),
	...bugsIn('src/bulk/lists/batches.ts', ['test/bulk/lists/batches.test.ts'], {
		'what a list leaves out is not read': [
			'return readAlone(write, this.dialect, this.send);',
			"return Promise.resolve({ outcome: 'unknown', attempts: 0, ms: 0 } as Outcome);",
		],
	}),
	...bugsIn('src/bulk/lists/batches.ts', ['test/bulk/run/read-ahead.test.ts'], {
		'old values cost a request for each row': [
			'if (wanted.length === 1 || this.#unusable.has(list.path)) continue;',
			'continue;',
		],
	}),
	...bugsIn('src/bulk/lists/batches.ts', ['test/bulk/run/engine.test.ts'], {
		'results are listed in another order': ['underWay.push(started);', 'underWay.unshift(started);'],
	}),
	...bugsIn('src/bulk/lists/query.ts', ['test/bulk/lists/query.test.ts'], {
		'--assignee none lists what everyone has': ['conditions.push({ field: parameter, holds: isNothing });', ''],
	}),
	...bugsIn('src/bulk/lists/sheet.ts', ['test/bulk/lists/sheet.test.ts'], {
		'an edit sends what it did not change': ['if (isSameJson(value, old)) continue;', ''],
	}),
	...bugsIn('src/io/editor.ts', ['test/io/editor.test.ts'], {
		'an edit that was not sent is lost': ['(isKept ? path : undefined),', 'undefined,'],
	}),
	...bugsIn('src/bulk/lists/sheet.ts', ['test/acceptance/round-trip.test.ts'], {
		'an unedited export changes tickets': [': createReader(field, options);', ': (value: unknown) => value;'],
	}),
	...bugsIn('src/bulk/input/columns.ts', ['test/bulk/input/rows.test.ts'], {
		'an empty cell clears the field': ['if (isBlank && !clear) return undefined;', ''],
		'--blank clear leaves fields alone': ['if (isBlank && !clear) return undefined;', 'if (isBlank) return undefined;'],
	}),
	...bugsIn('src/bulk/input/rows.ts', ['test/bulk/input/rows.test.ts'], {
		'a flag takes precedence over a cell': [
			'fill(draft, raw, columns, names, complain);',
			'fill(draft, raw, columns, names, complain); Object.assign(draft.fields, flags.fields);',
		],
		'columns that are no field are left out in silence': [
			'ignoreOther === true && this.#meaningOf(name) === undefined',
			'this.#meaningOf(name) === undefined',
		],
		'--map is not obeyed': [
			'return this.isMapped(name) ? (this.options.map?.[name] as string) : name;',
			'return name;',
		],
		'two keys for one field are accepted': ['else if (seen.has(found.means)) complain', 'else if (false) complain'],
	}),
	...bugsIn('src/bulk/input/csv.ts', ['test/bulk/input/csv.test.ts'], {
		'sheets with semicolons are one column': ["return [',', ';', '\\t'].reduce(", "return [','].reduce("],
	}),
	...bugsIn('src/bulk/input/checked-text.ts', ['test/bulk/input/source.test.ts'], {
		'bytes in another encoding are sent as wrong letters': [
			"throw refuse(chunk, '\\uFFFD',",
			"return chunk?.toString('latin1') ?? ''; throw refuse(chunk, '\\uFFFD',",
		],
	}),
];

/** @type {readonly Bug[]} */
const output = [
	...bugsIn('src/output/sanitise.ts', ['test/output/sanitise.test.ts'], {
		'a title moves the cursor': ['return withoutCommands(showHidden(text));', 'return withoutCommands(text);'],
		'JSON reorders the text of a terminal': [': escaped(found)', ': found'],
		'a title is a command to a CI runner': ['output.write(edit(withoutCommands(text)))', 'output.write(edit(text))'],
	}),
	...bugsIn('src/output/redact.ts', ['test/output/redact.test.ts'], {
		'passwords in meta are printed': ['(?:pass|pwd|otp', '(?:pwd|otp'],
		'secrets are printed': ['return createRedactor()(value);', 'return value;'],
		'a password in a URL is printed': [
			"if (!text.includes('://') && !text.includes('=')) return text;",
			'return text;',
		],
		"a service's error repeats our password": ['if (spellings.length === 0) return redactUrl;', 'return redactUrl;'],
	}),
	...bugsIn('src/output/errors.ts', ['test/output/errors.test.ts', 'test/cli/program.test.ts'], {
		'an unexpected error exits 0': [
			'return explain(error).exitCode;',
			'return error instanceof SupportctlError ? error.exitCode : 0;',
		],
	}),
	...bugsIn('src/output/table.ts', ['test/output/table.test.ts'], {
		'a table is wider than the terminal': ['if (widthOf(text) <= width) return text;', 'return text;'],
	}),
	...bugsIn('src/text.ts', ['test/text.test.ts'], {
		'hours are minutes': ['const minutes = Math.abs(now - ms) / 60_000;', 'const minutes = Math.abs(now - ms) / 1000;'],
	}),
	...bugsIn('src/bulk/reports/escape.ts', ['test/bulk/reports/junit.test.ts'], {
		'a title breaks the JUnit report': ['return escapeHtml(', 'return String('],
	}),
	...bugsIn('src/bulk/reports/escape.ts', ['test/bulk/reports/markdown.test.ts'], {
		'a title mentions people in a pull request': ['.replace(/[&<@]/g, entity)', ''],
	}),
];

/** @type {readonly Bug[]} */
const cli = [
	...bugsIn('src/profile/store.ts', ['test/profile/resolve.test.ts', 'test/profile/edit.test.ts'], {
		'a base URL that was edited by hand gets the stored secret': [
			'if (isBound && ![bound, secure]',
			'if (false && ![bound, secure]',
		],
	}),
	...bugsIn('src/profile/settings.ts', ['test/profile/resolve.test.ts'], {
		'credentials are sent unencrypted': ['!mayBeLoopback(hostname) && !allowHttp', 'false'],
	}),
	...bugsIn('src/net.ts', ['test/net.test.ts'], {
		'localhost.example.com is this machine': ["host === 'localhost' ||", "host.startsWith('localhost') ||"],
	}),
	...bugsIn('src/profile/secrets.ts', ['test/profile/secrets.test.ts', 'test/profile/resolve.test.ts'], {
		'a password of two lines becomes a header': ["why = 'has more than one line';", 'why = undefined;'],
	}),
	...bugsIn('src/cli/words.ts', ['test/cli/program.test.ts'], {
		'rm is an unknown command': ["rm: ['delete', 'remove'],", ''],
		'tickets is an unknown command': ["tickets: ['ticket'],", ''],
		'--subject is an unknown flag': ["'--subject': '--title',", ''],
	}),
	...bugsIn('src/cli/unknown-flag.ts', ['test/cli/program.test.ts', 'test/acceptance/input-checks.test.ts'], {
		'a typo in a flag gets no suggestion': ["nearest(flag, [...known, ...theirs, '--help'])", 'undefined'],
		'the reason for a refused password is wrong': ["if (isSecretName(flag.replace(/^-+/, '')) &&", 'if (false &&'],
	}),
	...bugsIn('src/cli/runs/past.ts', ['test/cli/runs/past.test.ts'], {
		'a resume forgets --verify': [
			'checks: { ...checks, ...defined({ verify }) },',
			'checks: { ...checks, verify: verify === true },',
		],
		'a resume forgets --stop-on-error': [
			'stop: { ...stop, ...stopGiven(invocation.options) },',
			'stop: { ...stop, onError: false, ...stopGiven(invocation.options) },',
		],
		'a resume forgets --max-failures': [
			'stop: { ...stop, ...stopGiven(invocation.options) },',
			'stop: { onError: stop.onError, ...stopGiven(invocation.options) },',
		],
	}),
	...bugsIn('src/cli/runs/fields.ts', ['test/acceptance/refused-lines.test.ts'], {
		'--data with the ID of another object is sent to this one': ['if (String(value) === own) continue;', 'continue;'],
		'a secret of --meta is taken from the command line': [
			"if (many === 'entries') refuseSecrets(flag, parsed.value, DATA_FILE);",
			'',
		],
		'a tag is added and removed at once': ['if (both !== undefined) throw', 'if (false) throw'],
	}),
	...bugsIn('src/cli/runs/run.ts', ['test/acceptance/refused-lines.test.ts'], {
		'--if-unmodified of arguments is accepted and ignored': [
			"if (ifUnmodified === true && source.from === 'ids') {",
			'if (false) {',
		],
	}),
	...bugsIn('src/cli/commands/profile.ts', ['test/acceptance/refused-lines.test.ts'], {
		'logout of one profile with --profile of another signs out the first': [
			'if (options.profile === undefined || name === options.profile) return name;',
			'return name;',
		],
	}),
	...bugsIn('src/cli/runs/printers/messages.ts', ['test/acceptance/behind-results.test.ts'], {
		'-q hides why a run stopped': [
			'if (header === undefined || (job.options.quiet && stopped === undefined)) return;',
			'if (header === undefined || job.options.quiet) return;',
		],
		'-q --json has no summary of a run that stopped': [
			'if (options.quiet && stopped === undefined) return;',
			'if (options.quiet) return;',
		],
		"nothing says that a run can't be undone": ['if (obstacle !== undefined) this.#write(', 'if (false) this.#write('],
	}),
	...bugsIn('src/cli/runs/questions.ts', ['test/acceptance/behind-results.test.ts'], {
		'a question counts rows that --first leaves': [
			'Math.min(survey.selected, tuning.first ?? survey.selected)',
			'survey.selected',
		],
	}),
	...bugsIn('src/cli/rights.ts', ['test/acceptance/behind-results.test.ts'], {
		'an agent who can open no ticket of others may do all': [
			"if (opened.forbidden) return answer('own'",
			"if (opened.forbidden) return answer('all'",
		],
	}),
	...bugsIn('src/cli/edit.ts', ['test/acceptance/second-uses.test.ts'], {
		'an edit of a protected profile needs no --confirm': [
			'await confirmWrite(invocation, session.service,',
			'void (invocation, session.service,',
		],
	}),
	...bugsIn('src/cli/runs/past.ts', ['test/acceptance/second-uses.test.ts'], {
		'a resume with --base-url signs in as the account of another profile': [' && given.baseUrl === undefined;', ';'],
	}),
	...bugsIn('src/profile/settings.ts', ['test/acceptance/second-uses.test.ts'], {
		'a limit of a setting is one more than help says': ['concurrency: whole(1, 1024)', 'concurrency: whole(0, 1025)'],
	}),
	...bugsIn('src/main.ts', ['test/acceptance/second-uses.test.ts'], {
		'a title is a command to a CI runner other than GitHub': [
			"['GITHUB_ACTIONS', 'TF_BUILD', 'TEAMCITY_VERSION']",
			"['GITHUB_ACTIONS']",
		],
	}),
	...bugsIn('src/cli/commands/run/show.ts', ['test/acceptance/second-uses.test.ts'], {
		'rows that were not sent are counted for the first of several shards': [
			'for (const { scan } of runs) noteUnreached(context, scan);',
			'noteUnreached(context, runs[0].scan);',
		],
	}),
	...bugsIn('src/cli/commands/api.ts', ['test/acceptance/second-uses.test.ts'], {
		'a dry run of api prints a secret': ['path: redactUrl(path), body', 'path, body'],
	}),
	...bugsIn('src/http/judge.ts', ['test/cli/commands/user/check.test.ts'], {
		'a wrong password is an unknown answer': ["\t'incorrect_password',\n", ''],
	}),
	...bugsIn('src/io/editor.ts', ['test/io/editor.test.ts'], {
		'others can read the draft of an editor that replaces its file': ['if (isKept) chmodSync(path, PRIVATE);', ''],
	}),
	...bugsIn('src/cli/session.ts', ['test/acceptance/second-uses.test.ts'], {
		'--timeout is accepted and ignored': ['timeoutMs: reach.settings.timeout * 1000,', 'timeoutMs: 30_000,'],
	}),
	...bugsIn('src/cli/lists/objects.ts', ['test/acceptance/second-uses.test.ts'], {
		'--limit counts anew for each ticket': ['readList(list, owners, limit - before,', 'readList(list, owners, limit,'],
		'a part of a number is printed as a number': [
			'if (failure !== undefined && (printed === 0 || list.countsOnly)) throw failure;',
			'if (failure !== undefined && printed === 0) throw failure;',
		],
	}),
	...bugsIn('src/cli/runs/moved-tickets.ts', ['test/acceptance/second-uses.test.ts'], {
		'tickets are moved without the --verify of the delete': ['\t\tverify,\n\t\tdebug', '\t\tdebug'],
	}),
	...bugsIn('src/cli/runs/questions.ts', ['test/cli/commands/api.test.ts'], {
		'a delete by api asks nobody': ['if (!asks || yes === true) return;', 'return;'],
	}),
];

/** The second use of a rule: on a resume, a retry, an undo or an apply. @type {readonly Bug[]} */
const again = [
	...bugsIn('src/bulk/run/settle.ts', ['test/acceptance/goes-on.test.ts'], {
		'a resumed --add-ticket-tag is ok and sends nothing': [
			'const isOpen = held !== undefined && Object.keys(listChanges(held, plan)).length > 0;',
			'const isOpen = false;',
		],
	}),
	...bugsIn('src/bulk/run/resume.ts', ['test/acceptance/goes-on.test.ts'], {
		'a row is superseded by a later one that was refused': [
			'endpoint.updates && states.mayBeWritten(row) &&',
			'endpoint.updates &&',
		],
		'the second resume after a kill forgets what was under way': [
			"journal.record({ type: 'attempt', row, attempt: 0, lost: true })",
			'Promise.resolve()',
		],
	}),
	...bugsIn('src/bulk/run/resume.ts', ['test/acceptance/bulk-order.test.ts'], {
		'a retry writes an earlier row over a later one': [
			'!this.states.isDone(row) || this.#again.includes(this.states.outcomeOf(row) as OutcomeName)',
			'!this.states.isDone(row) || this.#again.length > 0',
		],
	}),
	...bugsIn('src/bulk/run/names.ts', ['test/bulk/run/names.test.ts'], {
		'--remove-ticket-tag NAME does nothing': [
			"remove: remove?.fields as RunPlan['values']['remove'],",
			'remove: values.remove,',
		],
		'a resume looks names up again, also of users who are gone': [
			"if (record.type === 'name') directories",
			'if (false) directories',
		],
	}),
	...bugsIn('src/bulk/run/stop.ts', ['test/cli/runs/questions.test.ts'], {
		'--for that is over at once exits 1': [
			'exit: (rows) => (rows === ExitCode.failed ? ExitCode.partial : rows),',
			'exit: asRows,',
		],
	}),
	...bugsIn('src/bulk/run/execute.ts', ['test/bulk/run/read-ahead.test.ts'], {
		'a list before the write is asked for more than 100 objects': [
			'if (ready.length < PAGE_SIZE) continue;',
			'if (ready.length <= PAGE_SIZE) continue;',
		],
	}),
	...bugsIn('src/bulk/run/read-after.ts', ['test/bulk/run/read-ahead.test.ts'], {
		'a list after the write is asked for more than 100 objects': ['splice(0, PAGE_SIZE)', 'splice(0)'],
	}),
	...bugsIn('src/bulk/run/read-ahead.ts', ['test/bulk/run/read-ahead.test.ts'], {
		'--if-unmodified is checked on a value of a minute ago': ['checks.ifUnmodified || checks', 'checks'],
		'an apply and an undo compare with a value of a minute ago': [' && isInput(source);', ';'],
	}),
	...bugsIn('src/bulk/run/read-after.ts', ['test/bulk/run/read-ahead.test.ts'], {
		'an undo reads a hundred objects before it writes the first': ['this.#holding.add(row);', 'this.#leave();'],
	}),
	...bugsIn('src/bulk/run/send-row.ts', ['test/acceptance/goes-on.test.ts'], {
		'two rows of custom fields wait for each other': [
			'this.parts.slots?.release(row.row);\n\t\tthis.#names ??=',
			'this.#names ??=',
		],
	}),
	...bugsIn('src/cli/commands/run/apply.ts', ['test/acceptance/plans.test.ts'], {
		'an empty --digest fits every plan': ['given.digest !== undefined &&', 'given.digest &&'],
	}),
	...bugsIn('src/cli/runs/questions.ts', ['test/acceptance/bulk-guards.test.ts'], {
		'--confirm=OTHER is ignored': ['if (confirm !== profile) {', 'if (isProtected && confirm !== profile) {'],
	}),
	...bugsIn('src/bulk/run/apply.ts', ['test/acceptance/plan-keeps.test.ts'], {
		'an apply forgets the condition that its plan was made with': [
			'\t\t\t...plan.checks,\n\t\t\tsnapshot: canBeUndone',
			'\t\t\t...plan.checks,\n\t\t\tconditions: [],\n\t\t\tsnapshot: canBeUndone',
		],
		'an apply of permanent deletes says that it can be undone': [
			'snapshot: canBeUndone(endpoint, force),',
			'snapshot: true,',
		],
		'a custom field that somebody filled since the plan is overwritten': [
			'const none = absent.map((name) => [name, [null]]);',
			'const none: [string, unknown][] = [];',
		],
		'the question before an apply shows rows that are left out': [
			' || !chosen.has(write.ids)) continue;',
			') continue;',
		],
	}),
	...bugsIn('src/bulk/run/apply.ts', ['test/acceptance/parts.test.ts'], {
		'a second apply sends again what the first one took': ['if (isTaken.has(String(ownId(ids)))) continue;', ''],
	}),
	...bugsIn('src/bulk/part.ts', ['test/bulk/part.test.ts'], {
		'users of a part are not found by name': ['.filter((name) => name !== undefined);', '.slice(0, 1) as string[];'],
		'a part misses a name for its capitals': ['names.map((name) => name.toLowerCase());', '[...names];'],
	}),
	...bugsIn('src/bulk/run/undo.ts', ['test/bulk/run/undo.test.ts'], {
		'an undo puts back what stood between two rows': ['if (!Object.hasOwn(old, name)) old[name]', 'old[name]'],
		'an undo compares with the last row alone': ['written[name] ??= [];', 'written[name] = [];'],
		"an undo leaves a value that the service rewrote, as somebody else's": ['?.written[field]?.push(shown);', ';'],
		'an undo forgets what was under way at a kill': [
			'states.mayBeWritten(row) || (wasKilled',
			'states.mayBeWritten(row) || (false',
		],
	}),
	...bugsIn('src/bulk/run/undo.ts', ['test/acceptance/goes-on.test.ts'], {
		'a run is undone while it goes on': ['if (holder !== undefined) {', 'if (false) {'],
	}),
	...bugsIn('src/bulk/run/send-row.ts', ['test/bulk/run/send-row.test.ts'], {
		'an undo gives up all fields for one that is refused': [
			'if (sources[plan.source.from].restores && isRefusedPart(result)) {',
			'if (false) {',
		],
		'an update clears a color where no old values are kept': ['this.#readsFirst || mayClear ||', 'this.#readsFirst ||'],
		'a resumed delete that failed halfway fails, though the object is gone': [
			'mayBeApplied || (mayBePartly && request.endpoint.deletes)',
			'mayBeApplied',
		],
		'what an interrupted run wrote is not read back': ['return options.stop?.aborted ? {', 'return false ? {'],
		'--allow-differs=FIELDS allows others too': [
			'!differs.every(({ field }) => allowDiffers',
			'!differs.some(({ field }) => allowDiffers',
		],
		'with --ignore-missing, a delete of what is gone fails where it is read first': [
			'if (isGone && plan.checks.ignoreMissing) {',
			'if (false) {',
		],
		'a resumed row that is refused stays in doubt, though a read can tell': [
			'const known = maybeSent ? settledRefusal(request, result, after) : result;',
			'const known = result;',
		],
	}),
	...bugsIn('src/bulk/run/settle.ts', ['test/bulk/run/send-row.test.ts'], {
		'a row is done because of a field that had its value before': [
			'const had = (name: string): Equality | undefined => before?.compare(name, sent[name]);',
			'const had = (_: string): Equality | undefined => undefined;',
		],
		'a value that can not be compared is verified': [
			'differs.length === 0 && open.length === 0) return asDone',
			'differs.length === 0) return asDone',
		],
	}),
	...bugsIn('src/bulk/run/decide.ts', ['test/bulk/run/send-row.test.ts'], {
		'an update clears what it does not send': ['!isNothing(now) && !Object.hasOwn(fields, name)', 'false'],
		'an undo overwrites what it can not compare': [
			"isThere || compared.includes('same')",
			"isThere || compared.includes('same') || compared.includes('not comparable')",
		],
	}),
	...bugsIn('src/bulk/run/decide.ts', ['test/acceptance/own-writes.test.ts'], {
		'what a row wrote itself is blamed on someone else': ['own === undefined || fields.some(isOthers)', 'true'],
	}),
	...bugsIn('src/bulk/run/send-row.ts', ['test/acceptance/bulk-undo.test.ts'], {
		'a field that an undo could not read differs, and no retry restores it': [
			'if (left.every(({ doubt }) => doubt === undefined)) return',
			'if (true) return',
		],
	}),
	...bugsIn('src/bulk/run/survey.ts', ['test/bulk/run/survey.test.ts'], {
		'a taxonomy that only a late row sets is not known before the first': [
			'isEarly || shownBySlug.has(name)',
			'isEarly',
		],
	}),
	...bugsIn('src/bulk/run/rows.ts', ['test/bulk/run/names.test.ts'], {
		'a row that is wrong in another way is skipped with --ignore-missing': [
			'const isGone = refused.length === 0 && problems',
			'const isGone = problems',
		],
		'an unknown receiver counts as a leaver who is gone': ['isMissing && column === own', 'isMissing'],
	}),
	...bugsIn('src/bulk/input/rows.ts', ['test/bulk/input/rows.test.ts'], {
		'--blank clear=COLUMN clears all columns': [
			"blank === 'clear' && (clear === undefined ||",
			"blank === 'clear' && (true ||",
		],
		'a row with an ID and the username of somebody else is sent': ['if (isBoth) return', 'if (false) return'],
	}),
	...bugsIn('src/cli/runs/fields.ts', ['test/cli/runs/one.test.ts'], {
		'--set of one name twice sends the last': ['if (set.has(name)) throw', 'if (false) throw'],
	}),
	...bugsIn('src/bulk/run/rules.ts', ['test/acceptance/profile-rules.test.ts'], {
		'an apply needs another plan': ['sources[plan.source.from].isPlanned || !sends;', '!sends;'],
		'a plan is saved without the note that the profile wants': [
			'const isNeeded = (sends || saves) &&',
			'const isNeeded = sends &&',
		],
	}),
	...bugsIn('src/bulk/run/ready.ts', ['test/bulk/run/ready.test.ts'], {
		'your own account is deleted': ['survey.deleted.has(Number(own.id))', 'false'],
	}),
	...bugsIn('src/bulk/run/apply.ts', ['test/bulk/run/apply.test.ts'], {
		'a plan that changes while it is applied is sent': ['if (readPlan(path).sha256 !== sha256) {', 'if (false) {'],
	}),
	...bugsIn('src/bulk/plan-file/check.ts', ['test/bulk/plan-file/check.test.ts'], {
		'a plan sends what its description leaves out': ['if (strange !== undefined) return', 'if (false) return'],
	}),
	...bugsIn('src/bulk/lists/directory.ts', ['test/bulk/lists/directory.test.ts'], {
		'the first of two terms with one name is taken': [
			'if (more.length === 0) return { id: only.id };',
			'return { id: only.id };',
		],
	}),
	...bugsIn('src/bulk/lists/users.ts', ['test/bulk/lists/directory.test.ts'], {
		'a lookup is believed without the account behind it': [
			'if (isSameText(username, name)) return { id };',
			'return { id };',
		],
		'a user who is hidden from an account counts as missing': [
			'if (!users.isWhole || this.#showsUsernames !== true) return undefined;',
			'if (!users.isWhole) return undefined;',
		],
	}),
	...bugsIn('src/bulk/lists/user-index.ts', ['test/bulk/lists/directory.test.ts'], {
		'the first of two people with one display name is taken': [
			'if (ids.length === 1) return { id };',
			'if (ids.length > 0) return { id };',
		],
	}),
	...bugsIn('src/cli/commands/api.ts', ['test/cli/commands/api.test.ts'], {
		'a part of a list is printed as all of it': [
			'if (!isAll || end.isWhole) return first;',
			'if (isAll) return first;',
		],
	}),
	...bugsIn('src/bulk/input/columns.ts', ['test/bulk/input/rows.test.ts'], {
		'the placeholder of a secret becomes a password': ['if (holdsPlaceholder(value)) return', 'if (false) return'],
	}),
	...bugsIn('src/cli/runs/past.ts', ['test/acceptance/bulk-elsewhere.test.ts'], {
		'a run of a protected profile goes on under another one without asking': [
			'service: isKept ? service :',
			'service: false ? service :',
		],
	}),
	...bugsIn('src/bulk/run/stop.ts', ['test/acceptance/goes-on.test.ts'], {
		'a run whose time is over behind its last row exits 3': ["comesTooLate: 'always',", "comesTooLate: 'never',"],
		'a run of an account that may write nothing exits 1': ['(outcome?.forbidden ? ExitCode.refused : rows)', 'rows'],
	}),
	...bugsIn('src/http/send.ts', ['test/acceptance/goes-on.test.ts'], {
		'a service that asked to come back in an hour is asked by every row that was written': [
			'if (isPutOff(client, clock)) return',
			'if (false) return',
		],
	}),
	...bugsIn('src/bulk/run/run.ts', ['test/acceptance/goes-on.test.ts'], {
		'a resume removes the copy of standard input that the next one needs': [
			"let keep = resumes !== undefined && inputFileOf(plan.source)?.path !== '-';",
			'let keep = false;',
		],
	}),
	...bugsIn('src/http/connection.ts', ['test/acceptance/tls.test.ts'], {
		'a variable for other programs switches off the check of certificates': [', rejectUnauthorized: true };', ' };'],
	}),
	...bugsIn('src/http/connection.ts', ['test/acceptance/desync.test.ts'], {
		'a late response counts for the next request': ['if (!alone) return void', 'if (true) return void'],
	}),
	...bugsIn('src/bulk/lists/directory.ts', ['test/acceptance/odd-directories.test.ts'], {
		'a list of terms that breaks off is taken as whole': [
			'if (!isWhole) throw this.#incomplete',
			'if (false) throw this.#incomplete',
		],
	}),
	...bugsIn('src/bulk/run/left-behind.ts', ['test/bulk/run/left-behind.test.ts'], {
		'a user is deleted whose list of tickets broke off': [
			'const why = failure === undefined ? problems[0] :',
			'const why = true ? problems[0] :',
		],
	}),
	...bugsIn('src/bulk/run/send-row.ts', ['test/acceptance/goes-on.test.ts'], {
		'an undo of a resumed run puts back what stood between its parts': [
			'anew: this.#wasWritten(row) ? undefined : true',
			'anew: true',
		],
		'an undo of a retried run puts back what stood before its refused part': [
			'anew: this.#wasWritten(row) ? undefined : true',
			'anew: undefined',
		],
	}),
	...bugsIn('src/bulk/run/execute.ts', ['test/acceptance/goes-on.test.ts'], {
		'what was written before a stop is not read back where rows are read together': [
			'reader(() => beyondStop(this.#options)),',
			'reader(() => this.#options),',
		],
	}),
	...bugsIn('src/bulk/lists/users.ts', ['test/bulk/lists/directory.test.ts'], {
		'a user is missing because the list of users broke off': [
			'if (failure !== undefined) listedIn(failure, what);',
			'',
		],
	}),
	...bugsIn('src/bulk/run/send-row.ts', ['test/acceptance/bulk-custom-fields.test.ts'], {
		'all custom fields go by wrong names because the first ticket is gone': [
			'if (result.gone) this.#names = undefined;\n\t\t\telse if',
			'if',
		],
	}),
	...bugsIn('src/bulk/run/send-row.ts', ['test/acceptance/goes-on.test.ts'], {
		'a delete fails because a list leaves out the status': ["if (request.endpoint.trash) names.push('status');", ''],
	}),
	...bugsIn('src/bulk/run/decide.ts', ['test/acceptance/plan-keeps.test.ts'], {
		'an apply does not send a custom field that its ticket still does not have': [
			"return known.is === 'absent' && isNothing(value) ? 'same' : 'not comparable';",
			"return 'not comparable';",
		],
	}),
	...bugsIn('src/bulk/journal/history.ts', ['test/acceptance/goes-on.test.ts'], {
		'an undo leaves what the first part of a refused row wrote': [
			'(APPLIED | PARTLY | WRITTEN | KEPT)',
			'(APPLIED | PARTLY | KEPT)',
		],
		'an undo leaves the part that the service saved of a row before it was refused': [
			'(APPLIED | PARTLY | WRITTEN | KEPT)',
			'(APPLIED | WRITTEN | KEPT)',
		],
	}),
	...bugsIn('src/bulk/run/undo.ts', ['test/acceptance/goes-on.test.ts'], {
		'an undo of some fields fails for another one': [
			'const kept = partOf(change.kept, fields);',
			'const { kept } = change;',
		],
	}),
	...bugsIn('src/bulk/run/survey.ts', ['test/acceptance/goes-on.test.ts'], {
		'a copy of standard input has the secret of its first row': [
			'this.hasSecrets ||= this.hooks',
			'this.hasSecrets = this.hooks',
		],
		'nobody is a user who is not found': ["if (id !== '0') this.users", 'this.users'],
	}),
	...bugsIn('src/bulk/run/names.ts', ['test/acceptance/term-ids.test.ts'], {
		'a condition on a term is met by another one': [
			'const names = [...sent, ...checks.conditions.map(({ field }) => field)];',
			'const names = [...sent];',
		],
	}),
	...bugsIn('src/bulk/run/read-ahead.ts', ['test/acceptance/goes-on.test.ts'], {
		'old values are those of a minute before the write': [
			'this.clock.monotonic() - read.at > STALE_MS ? undefined : (',
			'(',
		],
	}),
	...bugsIn('src/bulk/run/read-ahead.ts', ['test/cli/edit.test.ts'], {
		'an edit overwrites what somebody changed since the run began': [' || checks.expected !== undefined;', ';'],
	}),
	...bugsIn('src/bulk/run/ready.ts', ['test/acceptance/goes-on.test.ts'], {
		'a condition is checked on what was read before the first question': ['mayReadAhead(plan) && counts ?', 'counts ?'],
	}),
	...bugsIn('src/bulk/run/decide.ts', ['test/acceptance/plan-keeps.test.ts'], {
		'a delete of a plan that was applied before counts as drift': [
			'if (isInTrash(row, held)) return',
			'if (false) return',
		],
		'an apply sends the other fields of a row that drifted': [
			'if (left.length > 0 && (isEmpty || !sources[plan.source.from].restores)) {',
			'if (left.length > 0 && isEmpty) {',
		],
	}),
	...bugsIn('src/bulk/run/read-ahead.ts', ['test/acceptance/goes-on.test.ts'], {
		'a later row of an object is compared with what stood there before the earlier one': [
			'this.#reads.delete(key);\n\t}\n}',
			'void key;\n\t}\n}',
		],
	}),
];

export const bugs = [...again, ...http, ...api, ...journal, ...run, ...input, ...output, ...cli];
