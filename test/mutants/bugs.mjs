/**
 * Bugs that a change could bring into what decides whether a request is sent, sent again, counted as done or reported as
 * what it is; each has to be noticed by the tests that it names.
 *
 * To add one: below its file and the tests that have to fail, give what a user would lose, a piece of the file's text that
 * stands there exactly once, and what stands there instead. Then run `npm run mutants -- PART` with a part of
 * the file, the loss or a test's name.
 * A piece of text that is not found any more fails too: move the bug along with its code.
 */

/** @typedef {{ file: string, was: string, becomes: string, tests: readonly string[], loss: string }} Bug */

const retry = ['test/http/retry.test.ts'];
const pace = ['test/bulk/pace.test.ts', 'test/bulk/pace-hosts.test.ts'];
const send = ['test/http/send.test.ts'];
const judge = ['test/http/judge.test.ts'];
const client = ['test/http/client.test.ts'];
const journal = ['test/bulk/journal.test.ts', 'test/bulk/journal-faults.test.ts'];
const scan = ['test/bulk/scan.test.ts', 'test/bulk/journal.test.ts'];
const lock = ['test/lock.test.ts', 'test/lock-elsewhere.test.ts'];
const shard = ['test/bulk/shard.test.ts'];
const engine = ['test/bulk/engine.test.ts'];
const stop = ['test/bulk/stop.test.ts'];
const guards = ['test/bulk/guards.test.ts'];
const counts = ['test/bulk/counts.test.ts'];
const endpointTable = ['test/api/endpoints.test.ts'];
const redaction = ['test/output/redact.test.ts'];
const sandbox = ['test/sandbox/access.test.ts', 'test/sandbox/writes.test.ts', 'test/sandbox/reads.test.ts'];
const api = ['test/cli/api/api.test.ts', 'test/cli/api/request.test.ts'];
const completion = ['test/cli/completion/complete.test.ts', 'test/cli/completion/shell-words.test.ts'];
const doctor = ['test/cli/doctor/checks.test.ts'];
const profiles = ['test/profile/resolve.test.ts', 'test/profile/edit.test.ts'];

/**
 * @param {string} file @param {readonly string[]} tests
 * @param {Record<string, [was: string, becomes: string]>} planted by what a user would lose
 * @returns {Bug[]}
 */
function bugsIn(file, tests, planted) {
	return Object.entries(planted).map(([loss, [was, becomes]]) => ({ file, was, becomes, tests, loss }));
}

/** @type {readonly Bug[]} */
export const bugs = [
	...bugsIn('src/api/endpoints.ts', endpointTable, {
		'a reply that was deleted for good instead of moved to the trash is ok': [
			"noun: 'reply',\n\t\tquery: [bypassTrash],\n\t\ttrash: true,",
			"noun: 'reply',\n\t\tquery: [bypassTrash],",
		],
		'a user is deleted without a user to receive their tickets': [
			"kind: 'id',\n\t\t\t\tpresence: 'must',",
			"kind: 'id',\n\t\t\t\tpresence: 'optional',",
		],
		'a product is deleted permanently though --force was not given': [
			"...bypassTrash, presence: 'must',",
			"...bypassTrash, presence: 'always',",
		],
		'a credential check is repeated': [
			"required: ['username', 'password'],\n\t\treplay: 'once',",
			"required: ['username', 'password'],\n\t\treplay: 'read',",
		],
		'tickets are moved to the trash without a question': [
			"confirm: row.method === 'DELETE',",
			"confirm: row.method === 'DELETE' && row.trash !== true,",
		],
	}),
	...bugsIn('src/api/endpoints.ts', ['test/api/plan.test.ts'], {
		'no application password can be deleted': [
			"'/users/<user_id>/passwords/<slug>',",
			"'/users/<user_id>/password/<slug>',",
		],
	}),
	...bugsIn('src/text.ts', ['test/output/render.test.ts'], {
		'rows of one empty cell vanish from csv': ["if (cells.length === 1 && cells[0] === '') return '\"\"\\n';", ''],
		'a cell with a quotation mark breaks its csv line': [`cell.replaceAll('"', '""')`, 'cell'],
	}),
	...bugsIn('src/text.ts', ['test/output/sanitise.test.ts'], {
		'characters without a glyph hide what stands behind them': ['\\p{Default_Ignorable_Code_Point}', ''],
		'a line separator of the service is printed as it is': ['\\\\p{Zl}\\\\p{Zp}', ''],
	}),
	...bugsIn('src/cli/runs/outcomes.ts', ['test/cli/runs/outcomes.test.ts'], {
		'a long id is printed as another one': [
			'Number.isSafeInteger(number) ? number : text',
			'number >= 0 ? number : text',
		],
		'rows of one output have different keys': ['view.differs = differs ?? [];', 'if (differs) view.differs = differs;'],
	}),
	...bugsIn('src/output/errors.ts', ['test/output/errors.test.ts'], {
		'the service takes the place of the message of an error': ['.filter(([key]) => !RESERVED.has(key))', ''],
		'an error says the same twice': [
			"if (message !== '' && !isKnown && !above.includes(message)) messages.push(message);",
			"if (message !== '' && !isKnown) messages.push(message);",
		],
	}),
	...bugsIn('src/output/redact.ts', redaction, {
		'the markup of a custom field shows its secret value': [
			"(isPair && key !== 'name') ?",
			"(isPair && key === 'value') ?",
		],
		'user%5Fpass=… is printed': [
			"isSecretName(decoded(name.replaceAll('+', ' '), decodeURIComponent))",
			'isSecretName(name)',
		],
		'a list of tokens is printed': ['(?:token|secret)s?(?= |$)', '(?:token|secret)(?= |$)'],
		'an error about a base URL shows the end of the password in it': ['.*@/is', '[^@]*@/is'],
	}),
	...bugsIn('src/output/redact.ts', ['test/output/redact.test.ts'], {
		'a password with an @ in it is printed from there on': ['[^/?#\\s"<>]*@/gi', '[^/?#\\s"<>@]*@/gi'],
		'a secret of digits is shown where the service repeats it as a number': [
			'return numbers.has(each) ? REDACTED : each;',
			'return each;',
		],
	}),
	...bugsIn('src/output/redact.ts', ['test/acceptance/bulk-kept.test.ts'], {
		'what stands below a secret name is repeated in the journal': [
			'secret: secret || isSecretName(key) ||',
			'secret: isSecretName(key) ||',
		],
	}),
	...bugsIn('src/sandbox/routes.ts', sandbox, {
		'a script that is refused by the real service works in the sandbox': [
			'if (!caller.roles.some((each) => allowed.includes(each))) throw forbidden(code);',
			'',
		],
	}),
	...bugsIn('src/sandbox/routes.ts', [...sandbox, 'test/sandbox/hostile.test.ts'], {
		'a path with a mistake behind the id works in the sandbox': [
			"'[\\\\w-]+' : '[\\\\d]+'",
			"'[\\\\w-]+' : '[\\\\d]+.*'",
		],
	}),
	...bugsIn('src/sandbox/users.ts', sandbox, {
		'a revoked application password still signs in': ['user.passwords = left;', ''],
		'any password signs in': [
			'if (user.passwords.every((each) => each.hash !== hash)) {',
			'if (user.passwords.length === 0) {',
		],
	}),
	...bugsIn('src/sandbox/posts.ts', sandbox, {
		'the sandbox adds a time that the live service subtracts': ["=== '+' ?", "!== '-' ?"],
		'an export that forgets context=edit works in the sandbox, and writes entities on a live service': [
			'return call.edit ? { raw, rendered: html } : { rendered: html };',
			'return { raw, rendered: html };',
		],
		'a list that forgets to override the default filters is complete in the sandbox alone': [
			'assignee: [caller.id],',
			'assignee: [0],',
		],
	}),
	...bugsIn('src/sandbox/responses.ts', ['test/sandbox/faults.test.ts'], {
		'a 5xx after saving can not be tried': ["'critical-after': { work: 'all',", "'critical-after': { work: 'none',"],
	}),
	...bugsIn('src/cli/commands/api.ts', api, {
		'the last page of a list is not requested': ['= page < count ||', '= page < count - 1 ||'],
		'api DELETE does not ask': ["asks: method === 'DELETE'", "asks: method === 'PUT'"],
		'api POST is sent twice after a lost response': ["isRead ? 'read' : 'once'", "isRead ? 'read' : 'set'"],
		'a list of a service that ignores the page number never ends': [
			'if (isList(last) && !isSame) continue;',
			'if (isList(last)) continue;',
		],
	}),
	...bugsIn('src/cli/commands/api/request.ts', api, {
		'api GET with a space before _method is a delete without a question': [
			'.trimStart().toLowerCase()',
			'.toLowerCase()',
		],
		'api GET with a NUL behind _method is a delete without a question': ['part.split(/[=\\0]/)', "part.split('=')"],
		'dots that are encoded twice leave the folder of the service': ['const DECODINGS = 3;', 'const DECODINGS = 1;'],
	}),
	...bugsIn('src/cli/parse.ts', ['test/cli/program.test.ts'], {
		'of a flag that is given twice the last value is used, without a word': [
			'if (before === undefined) return read(text);',
			'return read(text);',
		],
	}),
	...bugsIn('src/cli/text-file.ts', ['test/acceptance/input-checks.test.ts'], {
		'a nested secret in --data is taken from the command line': [
			'const found = secretKeyIn(inner);',
			'const found = undefined;',
		],
	}),
	...bugsIn('src/cli/completion/complete.ts', completion, {
		'a value behind a flag is completed as if it were an argument': [
			'if (line.pending !== undefined) return valuesOf(line.pending);',
			'',
		],
		'--map is offered only once': ['return option.repeatable === true || option.counted === true;', 'return false;'],
		'bash replaces the typed word by one that does not begin so': [
			'shown.filter(({ value }) => value.startsWith(text))',
			'shown',
		],
		'an apostrophe in a name ends the quotes, and the rest of the name is run': [
			'return text.includes("\'") ? undefined : text;',
			'return text;',
		],
		'-j4 takes the next word for its value': ['/^(?:--[^=]*=|-[^-])(.+)$/s', '/^(?:--[^=]*=)(.+)$/s'],
	}),
	...bugsIn('src/cli/commands/doctor.ts', doctor, {
		'the password of the proxy is printed': ['{proxy.host}, from', '{proxy.href}, from'],
		'nothing is said of a certificate that ends tomorrow': ['days <= DAYS_TO_WARN', 'days < 0'],
		'a clock that is half an hour late is fine': ['size <= MOST_MS', 'size <= 60 * MOST_MS'],
		'Node 20.9 is called newer than 20.18.1': ["least, 'en', { numeric: true })", 'least)'],
		'a clock that is slow is said to be fast': ['date.at - theirs - 500', 'theirs + 500 - date.at'],
	}),
	...bugsIn('src/cli/probe.ts', ['test/cli/probe.test.ts'], {
		'a service that responds 403 without credentials is said to require none': [
			'without.status !== 401 && without.status !== 403',
			'without.status !== 401',
		],
	}),
	...bugsIn('src/profile/store.ts', profiles, {
		"one user's password is sent for another": [
			"if (scheme === 'basic' && username !== undefined && username !== use.username)",
			"if (scheme === 'basic' && username === undefined)",
		],
		'a secret is sent in another header than it is for': [
			"if (scheme === 'header' && headerName !== undefined && headerName !== use.headerName) {",
			"if (scheme === 'header' && headerName === undefined) {",
		],
		'a password is sent as a token': ["if (scheme !== (use.scheme ?? 'basic'))", 'if (scheme === undefined)'],
		'the secret of an https:// profile is kept when it becomes http://': [
			"isSameOrigin(String(baseUrl).replace(/^http:/, 'https:'), use.baseUrl)",
			"isSameOrigin(String(baseUrl).replace(/^https?:/, 'http:'), String(use.baseUrl).replace(/^https?:/, 'http:'))",
		],
	}),
	...bugsIn('src/profile/resolve.ts', profiles, {
		'another proxy is used than by every other program': [
			'env[name.toLowerCase()] || env[name]',
			'env[name] || env[name.toLowerCase()]',
		],
	}),
	...bugsIn('src/profile/resolve.ts', ['test/profile/resolve.test.ts'], {
		'credentials go unencrypted to a host that no profile allows it for': [
			'allowHttp = settings.allowHttp && own === host',
			'allowHttp = settings.allowHttp',
		],
	}),
	...bugsIn('src/cli/commands/profile.ts', ['test/cli/profile-commands.test.ts'], {
		'after the removal of the current profile every command fails': ['if (wasCurrent) delete store.current;', ''],
	}),
	...bugsIn('src/bulk/pace.ts', ['test/acceptance/bulk-signals.test.ts'], {
		'Ctrl-C at a low --rate takes as long as the next row has to wait': [
			"signal?.addEventListener('abort', abort);",
			'',
		],
	}),
	...bugsIn('src/bulk/pace.ts', pace, {
		'Ctrl-C waits for the next turn of a slow --rate': ['\t\t\t\tif (this.line.length === 0) this.nap?.abort();\n', ''],
		'a run waits five seconds after each refused probe, whatever its pause': [
			'\t\tthis.nap?.abort();\n\t}\n\n\tready',
			'\t}\n\n\tready',
		],
	}),
	...bugsIn('src/http/send.ts', retry, {
		'a credential check is sent twice, and may lock the account': ["facts.replay === 'once' || ", ''],
		'a request that the service failed twice is sent again and again': [
			" || (retry === 'once' && facts.failedBefore)",
			'',
		],
		'--retries 4 retries three times': ['attempt > facts.retries', 'attempt >= facts.retries'],
		'what got an unreadable response is sent again': ["retry === 'never' || ", ''],
		'a gateway without its service holds the run for as long as it likes': [
			"retryAfterMs !== undefined && retry === 'later'",
			'retryAfterMs !== undefined',
		],
		'a run hangs for an hour because one response says so': [
			'retryAfterMs > MAX_RETRY_AFTER_MS) return',
			'retryAfterMs > 6 * MAX_RETRY_AFTER_MS) return',
		],
		'Retry-After is not obeyed': ['waitMs: retryAfterMs + facts.random', 'waitMs: facts.random'],
		'the first wait is twice as long as documented': [
			'BASE_DELAY_MS * 2 ** (attempt - 1)',
			'BASE_DELAY_MS * 2 ** attempt',
		],
		'waits double without end': ['Math.min(MAX_DELAY_MS, BASE_DELAY_MS', 'Math.max(0, BASE_DELAY_MS'],
		'a wrong clock here turns a date in Retry-After into any wait': [
			'Math.max(0, date - (present ?? now))',
			'Math.max(0, date - now)',
		],
		'a row uses up its attempts within the second in which a service has had enough': [
			'((1 + random) / 2) * Math.min',
			'random * Math.min',
		],
	}),
	...bugsIn('src/http/send.ts', send, {
		'a delete that worked before its response was lost is reported as failed': ['history = verdict.history;', ''],
		'a resumed delete that the killed run carried out is reported as failed': [
			'own.maybeSent === true ? { mayBeApplied: true } : {}',
			'{}',
		],
		'a delete goes out before the journal says that it will': ['if (before !== undefined) await before;', ''],
		'Ctrl-C does not keep a retry from being sent': ['if (stop?.aborted) break;', ''],
	}),
	...bugsIn('src/bulk/rate.ts', ['test/bulk/pace-hosts.test.ts'], {
		'a run is nearly stopped by refusals that do not depend on its rate': [
			'this.low.refused >= USELESS && share < USELESS_SHARE',
			'false',
		],
		'a service that is slower than a probe is waited for is never asked again as it could be': [
			'Math.min(this.probesSince, now)',
			'now',
		],
	}),
	...bugsIn('src/bulk/rate.ts', ['test/bulk/rate.test.ts', 'test/bulk/pace-hosts.test.ts', 'test/bulk/pace.test.ts'], {
		'a limit is taken for refusals by chance, and the run floods the service': [
			'if (this.servedRate(at) >= this.second.most / 2) this.low',
			'if (false) this.low',
		],
	}),
	...bugsIn('src/bulk/rate.ts', pace, {
		'refusals of an earlier rate slow the new one down': [
			'if (this.probes !== undefined || sentAt < this.since) return;',
			'if (this.probes !== undefined) return;',
		],
		'the run does not wait as long as the service asks': [
			'Math.min(retryAfterMs, MAX_RETRY_AFTER_MS)',
			'Math.min(retryAfterMs, 1000)',
		],
	}),
	...bugsIn('src/http/judge.ts', send, {
		'a lost response is reported as not sent': [
			"finding = { outcome: 'unknown', retry: permanent",
			"finding = { outcome: 'not-sent', retry: permanent",
		],
		'an update of a ticket that does not exist is ok under --ignore-missing': [
			"endpoint.replay !== 'delete' || (status",
			'(status',
		],
		'a base URL without the service makes every repeated delete ok': [
			'hasOwnCode(body) && !/no_?route',
			'hasOwnCode(body) && !/never',
		],
		"a gateway's 404 makes every repeated delete ok": ['return hasOwnCode(body) && ', 'return '],
		'a row that may have been applied is reported as failed for a later refusal': [
			"if (before.mayBeApplied && (finding.outcome === 'failed'",
			"if (before.mayBeApplied && (finding.outcome === 'ok'",
		],
		'a row that was lost, then put off and refused is reported as failed': [
			'{ ...before, [open]: true }',
			'{ [open]: true }',
		],
		"a parked domain's page with 410 is taken for a deletion": [
			'if (body === undefined) return code ===',
			'if (body === undefined) return code !==',
		],
	}),
	...bugsIn('src/http/judge.ts', judge, {
		"the service's own error is reported as unknown because of its number": [
			"if (isOwn) return { outcome: 'failed', retry",
			"if (isOwn && status === 0) return { outcome: 'failed', retry",
		],
		'a busy host fails rows at once': ['new Set([408, 425, 429, 503])', 'new Set([408, 425, 503])'],
		'a page with 200 is ok': [
			"return { outcome: 'failed', retry: 'never', status, code: named.code",
			"return { outcome: 'ok', retry: 'never', status, code: named.code",
		],
		'a response that breaks off is taken for whole': [
			'if (incomplete !== undefined) {',
			'if (incomplete !== undefined && content.kind !== "json") {',
		],
	}),
	...bugsIn('src/http/body.ts', judge, {
		'a 200 that says no is ok': ["if (kinds.has('error') && isError(value)) return name;", ''],
	}),
	...bugsIn('src/http/body.ts', ['test/cli/commands/user-check.test.ts'], {
		'credentials that the service calls invalid are unknown': [
			"if (found.no) return found.yes ? undefined : 'no';",
			'',
		],
	}),
	...bugsIn('src/http/content.ts', judge, {
		'what PHP prints as it breaks off is named for something else': [
			'if (PHP_ERROR.test(plain)) return',
			'if (text === undefined) return',
		],
		'a whole piece of JSON that breaks off is taken for the response': [
			'if (BEGINS_AS_JSON.test(text)) return undefined;',
			'',
		],
		'a small response can take all memory': ['decode(decoded, { maxOutputLength }, ', 'decode(decoded, {}, '],
	}),
	...bugsIn('src/http/client.ts', client, {
		'what was lost on the way is reported as never sent': [
			"const sent = this.controller !== undefined && problem.code !== 'proxy_failed';",
			'const sent = false;',
		],
		'a single request to a service that is away takes many seconds': [
			'attempt.problem.permanent = true;',
			'attempt.problem.permanent = false;',
		],
		'a request that was reported as not sent is sent later': [
			'else controller.abort(this.overdue);',
			'else this.controller = controller;',
		],
	}),
	...bugsIn('src/http/client.ts', ['test/http/client.test.ts'], {
		'a response in three or more pieces loses its middle': ['this.more ??= [this.body];', 'this.more = [this.body];'],
	}),
	...bugsIn('src/http/connection.ts', ['test/http/connection.test.ts'], {
		'credentials go unencrypted to another machine that is called localhost': [
			'const own = all.filter(({ address }) => isLoopbackAddress(address));',
			'const own = all;',
		],
		'a proxy reads the credentials for a service on this machine': ['mayBeLoopback(url.hostname) || ', ''],
	}),
	...bugsIn('src/bulk/journal/write.ts', journal, {
		'a run waits for its journal without end': [
			'\t\t\tsettle();\n\t\t\tthis.#dirty = true;',
			'\t\t\tthis.#dirty = true;',
		],
		'a row counts as done before its record is in the file': [
			'setImmediate(() => this.flush());\n\t\t}',
			'setImmediate(() => this.flush());\n\t\t\tthis.#settle?.();\n\t\t}',
		],
		'a journal goes on behind a gap': ['if (this.failure !== undefined) return Promise.reject(this.failure);', ''],
		'a full disk leaves half a record, and the next one behind it': [
			'if (torn > 0) tryTo(() => ftruncateSync(fd, fstatSync(fd).size - torn));',
			'',
		],
		'a resume writes its first record behind half a line': [
			'if (scan.tornBytes > 0) ftruncateSync(fd, scan.validBytes);',
			'',
		],
		'--journal overwrites the journal of another run': ['if (size > 0) {', 'if (false) {'],
	}),
	...bugsIn('src/bulk/journal/write.ts', ['test/bulk/journal.test.ts'], {
		'a journal that a link leads to has two locks': ['const real = realpathSync(path);', 'const real = path;'],
	}),
	...bugsIn('src/bulk/journal/records.ts', journal, {
		'old values named like secrets are kept in the journal': [
			'names.filter((name) => !withheld.includes(name)).map(',
			'names.map(',
		],
	}),
	...bugsIn('src/bulk/journal/counts.ts', scan, {
		'a resume never finds out what became of unknown rows': [
			"new Set(['ok', 'differs', 'failed', 'invalid', 'skipped'])",
			"new Set(['ok', 'differs', 'failed', 'invalid', 'skipped', 'unknown'])",
		],
		'rows that were refused for a password are never sent': [
			'DONE.has(outcome) && (state & UNAUTHORIZED) === 0',
			'DONE.has(outcome)',
		],
	}),
	...bugsIn('src/bulk/journal/counts.ts', counts, {
		'a script takes an interrupted run for a whole one': ['if (interrupted) return ExitCode.interrupted;', ''],
		'unknown rows exit with 0': ['if (counts.unknown > 0) return ExitCode.unknown;', ''],
		'a script takes rows that the service changed otherwise for ok': [
			'return counts.differs > 0 ? ExitCode.differs : ExitCode.ok;',
			'return ExitCode.ok;',
		],
	}),
	...bugsIn('src/bulk/journal/read.ts', scan, {
		'a resumed delete takes its own 404 for a failure': [
			'record.lost === true ? before | LOST :',
			'record.lost === true ? before :',
		],
		'an earlier lost attempt is forgotten': ['code: record.code }) | (before & LOST)', 'code: record.code })'],
		'a damaged journal is believed to show all that was sent': ['\t\tthis.states.doubtful = true;\n', ''],
		'a resumed run that is killed looks finished': ['\t\tthis.end = undefined;\n', ''],
		'a row that a killed process had sent is reported as failed by the resume': [
			'!isDeletePlan(this.header.plan) && this.end === undefined',
			'false',
		],
		'a delete that a killed process carried out is reported as failed after a refused resume': [
			'(before & SENT) === 0 ? SENT : SENT | LOST',
			'(before & SENT) === 0 ? SENT : SENT',
		],
	}),
	...bugsIn('src/lock.ts', lock, {
		'the journal of a shard that was killed in another container can never be resumed': [
			"return age > SILENT_MS ? 'dead' : 'elsewhere';",
			"return 'elsewhere';",
		],
		'the journal of a running shard on another machine is taken over after a minute': [
			'isHeld() && utimesSync(path, new Date(), new Date())',
			'isHeld()',
		],
		'two processes write one journal': ["openSync(path, 'wx', 0o600)", "openSync(path, 'w', 0o600)"],
		"another machine's lock on a shared disk is taken over": [
			'const isHere = owner.host === self.host;',
			'const isHere = true;',
		],
		'a process with a pid that is used again keeps a run from being resumed': [
			"return facts.state === 'Z' || facts.state === 'X' || facts.born !== owner.born ? 'dead' : 'alive';",
			"return 'alive';",
		],
		'two that see the same dead owner both get its lock': ['now?.token === owner.token && ', 'now !== undefined && '],
		"giving a lock back removes another process's": [
			'attempt(() => isHeld() && unlinkSync(path));',
			'attempt(() => unlinkSync(path));',
		],
		'the lock of a process that is just writing it is removed': [" && stateOf(path, now, self) === 'dead'", ''],
	}),
	...bugsIn('src/lock.ts', ['test/lock.test.ts'], {
		"two users' processes write one journal": ["if (codeOf(error) !== 'EPERM') return 'dead';", "return 'dead';"],
	}),
	...bugsIn('src/bulk/run/plan.ts', shard, {
		'the first shard is sent by no process': ['=== shard.index - 1', '=== shard.index'],
		'shards change with a release, and a resumed one sends rows of another': [
			'return (hash ^ (hash >>> 16)) >>> 0;',
			'return hash >>> 0;',
		],
		'half of the rows are in no shard': ['return (hash ^ (hash >>> 16)) >>> 0;', 'return hash ^ (hash >>> 16);'],
		'--shard 5/4 does nothing without an error': [
			'shard === undefined || shard.index > shard.count',
			'shard === undefined',
		],
	}),
	...bugsIn('src/api/plan.ts', ['test/api/plan.test.ts', 'test/bulk/rows.test.ts'], {
		'rows of one id are sent side by side and land on several machines': [
			'key: endpoint.changes === undefined ? path :',
			"key: endpoint.changes === undefined ? path + query.join('&') :",
		],
	}),
	...bugsIn('src/api/applied.ts', ['test/api/applied.test.ts'], {
		'a ticket that was to go to the trash is gone for good, and the row is ok': [
			"const shown = isDeleted ? 'permanently deleted' : held.status;",
			'const shown = held.status;',
		],
		"another ticket's reply is deleted, and the row is ok": [
			'const isClear = hasParent || Object',
			'const isClear = Object',
		],
		'meta fields that the service ignored are ok': [': empties(undefined, value),', ': undefined,'],
	}),
	...bugsIn('src/api/values.ts', ['test/acceptance/bulk-custom-fields.test.ts'], {
		'an undo writes 12345678901234567000 for 12345678901234567890': [
			'if (!SUSPECT.test(json)) return JSON.parse(json);',
			'if (json) return JSON.parse(json);',
		],
	}),
	...bugsIn('src/bulk/run/engine.ts', engine, {
		'the last of several edits of a ticket is not the one that stays': [
			'else waiting.push(row);',
			'else waiting.unshift(row);',
		],
		'two edits of one ticket are under way at once': [
			'if (waiting === undefined) {',
			'if (waiting === undefined || waiting.length > 0) {',
		],
		'rows are sent although the journal can not be written any more': [
			'if (recorded !== undefined) await recorded;',
			'',
		],
		'Ctrl-C goes on with the rows that wait for one under way': [
			'while (next !== undefined && goesOn()) {',
			'while (next !== undefined) {',
		],
		'memory grows with an input of one id': [
			'if (this.count < MAX_PARKED) return undefined;',
			'if (this.count >= 0) return undefined;',
		],
		'a run that broke off looks finished': ['if (failure !== undefined) throw failure.error;', ''],
	}),
	...bugsIn('src/bulk/run/stop.ts', stop, {
		'--max-failures 3 stops at the third': ['this.failures > maxFailures', 'this.failures >= maxFailures'],
		'a wrong password is refused forty thousand times': [
			'if (status === 401 && isBad) return',
			'if (status === 403 && isBad) return',
		],
	}),
	...bugsIn('src/bulk/run/read-back.ts', ['test/bulk/run/read-back.test.ts'], {
		'one allowed field hides that another differs': [
			'differs.every(({ field }) => allowDiffers.includes(field))',
			'differs.some(({ field }) => allowDiffers.includes(field))',
		],
		'values are overwritten before the old ones are on disk': [
			'if (checks.snapshot && !request.permanent) await steps.keep(',
			'if (checks.snapshot && !request.permanent) void steps.keep(',
		],
		'a row whose old values could not be read is unknown though nothing was written': [
			"const outcome = result.outcome === 'failed' ? 'failed' : 'not-sent';",
			'const outcome = result.outcome;',
		],
	}),
	...bugsIn('src/bulk/run/read-back.ts', ['test/bulk/run/undo.test.ts'], {
		'an undo leaves what a row wrote before a resume sent it again in vain': [
			"outcome === 'ok' || outcome === 'differs' || outcome === 'unknown'",
			"outcome === 'unknown'",
		],
	}),
	...bugsIn('src/bulk/run/survey.ts', guards, {
		'--max 10 refuses ten rows': [
			'limits.max !== undefined && rows > limits.max',
			'limits.max !== undefined && rows >= limits.max',
		],
		'tickets are given to a user who is deleted in the same run': ['this.isSorted = false;', ''],
	}),
	...bugsIn('src/bulk/run/survey.ts', ['test/bulk/guards.test.ts'], {
		'beyond a thousand users, one that is deleted may receive what others leave': [
			'\t\t\tlarger.set(this.numbers);\n',
			'',
		],
	}),
	...bugsIn('src/bulk/run/survey.ts', ['test/acceptance/bulk-kept.test.ts'], {
		'every part of a sharded run counts the invalid rows': [
			'(shard === undefined || shard.index === 1 ? invalid : 0)',
			'invalid',
		],
	}),
	...bugsIn('src/cli/runs/checks.ts', ['test/acceptance/bulk-guards.test.ts'], {
		"a protected desk is written with another desk's confirmation": [
			'if (isProtected && confirm !== profile) {',
			'if (isProtected && confirm === undefined) {',
		],
	}),
	...bugsIn('src/bulk/run/undo.ts', ['test/bulk/run/undo.test.ts'], {
		'an undo leaves what a killed process wrote': ["if (json.type === 'resume') leaveOpen();", ''],
		'an undo puts back what the run itself wrote': [
			'old: earlier === undefined ? values[name] : earlier.old',
			'old: values[name]',
		],
		'an undo overwrites tickets that the run never changed': ['!wasWritten(row)', 'false'],
	}),
	...bugsIn('src/bulk/run/resume.ts', ['test/acceptance/bulk-order.test.ts'], {
		'a resume gives an earlier row of a ticket the last word': ['open.add(key);', ''],
		'a row that was opened again is forgotten when the resume is stopped too': ['await journal.outcome({', 'void ({'],
	}),
	...bugsIn('src/cli/runs/fields.ts', ['test/cli/runs/call.test.ts'], {
		'an ID in --data travels in the body, and the service edits another ticket': [
			'const id = name.toLowerCase();',
			'const id = name;',
		],
	}),
	...bugsIn('src/bulk/input/source.ts', ['test/bulk/source.test.ts'], {
		'a process that is killed while it reads standard input leaves passwords on the disk': [
			'if (!isNamed) await unlink(path);',
			'',
		],
		'rows that were added between the passes are sent unchecked': [': sha256 !== undefined) throw', ': false) throw'],
	}),
	...bugsIn('src/bulk/input/text.ts', ['test/bulk/source.test.ts'], {
		'a row with two ids deletes the second': ['if (open.at(-1)?.has(key)) return', 'if (false) return'],
	}),
	...bugsIn('src/bulk/input/csv.ts', ['test/bulk/csv.test.ts'], {
		'complaints name a wrong line behind a cell with a line break': ['line += 1 + lineEndsIn(cells);', 'line += 1;'],
	}),
	...bugsIn('src/bulk/run/names.ts', ['test/bulk/run/names.test.ts'], {
		'a resume deletes a user whose name was not found when the run was confirmed': [
			'if (problem !== undefined) return { problem };',
			'',
		],
	}),
	...bugsIn('src/cli/runs/past.ts', ['test/acceptance/bulk-kept.test.ts'], {
		'a resume leaves out the second of two secrets': [
			'return Object.fromEntries(withheld.map(',
			'return Object.fromEntries(withheld.slice(0, 1).map(',
		],
	}),
	...bugsIn('src/cli/runs/past.ts', ['test/acceptance/bulk-elsewhere.test.ts'], {
		'a resume writes to a protected profile without being confirmed': [
			'service: here.protected || !service.protected || isReleased ? here : service,',
			'service: here,',
		],
	}),
	...bugsIn('src/client/support-client.ts', ['test/client/support-client.test.ts'], {
		'a program that wants no retries gets four': [
			'retries = options.retries ?? DEFAULT_RETRIES',
			'retries = options.retries || DEFAULT_RETRIES',
		],
	}),
	...bugsIn('src/cli/trace.ts', ['test/cli/trace.test.ts'], {
		'a response repeats the secret of its request in the log': [
			"event.type === 'response' ? event.requestBody : undefined",
			'undefined',
		],
	}),
	...bugsIn('src/output/sanitise.ts', ['test/output/sanitise.test.ts'], {
		'an indented line of the service commands a CI runner': ['((?:[^\\S\\n\\r]|\\x85)*)::/g', '()::/g'],
	}),
	...bugsIn('src/output/table.ts', ['test/output/table.test.ts'], {
		'the path of a request is cut in a dry run': ['if (column.whole === true) return natural[index] as number;', ''],
	}),
	...bugsIn('src/bulk/run/execute.ts', ['test/acceptance/bulk-kept.test.ts'], {
		'a resume counts invalid rows twice': [
			'if (past?.isDone(planned.row) === true || ',
			'if ((past?.isDone(planned.row) === true && !isInvalid(planned)) || ',
		],
	}),
	...bugsIn('src/cli/runs/run.ts', ['test/acceptance/bulk-kept.test.ts'], {
		'copies of standard input are left behind': ['await rows?.dispose({ keep });', ''],
	}),
	...bugsIn('src/bulk/lists/pages.ts', ['test/acceptance/lists.test.ts'], {
		'a list loses a ticket where one was deleted and another created while it was read': [
			'(!isLookedAt || moved !== accounted)',
			'!isLookedAt',
		],
	}),
	...bugsIn('src/bulk/lists/sheet.ts', ['test/acceptance/round-trip.test.ts'], {
		'an export holds values that an update changes or refuses': [
			'return isSame && (isReadable || !asCells) ? given : LEFT_OUT;',
			'return given;',
		],
	}),
];
