/** Words of other tools, in Maps: they hold no word such as "constructor". */

/** They run if ours fits; help shows ours. */
export const otherWords: ReadonlyMap<string, readonly string[]> = new Map(
	Object.entries({
		tickets: ['ticket'],
		replies: ['reply'],
		users: ['user'],
		attachments: ['attachment'],
		terms: ['term'],
		profiles: ['profile'],
		runs: ['run'],
		ls: ['list'],
		show: ['get'],
		view: ['get', 'show'],
		rm: ['delete', 'remove'],
	}),
);

export const otherFlags = new Map(
	Object.entries({
		'--tag': '--ticket-tag',
		'--add-tag': '--add-ticket-tag',
		'--remove-tag': '--remove-ticket-tag',
		'--priority': '--ticket-priority',
		'--channel': '--ticket-channel',
		'--subject': '--title',
		'--body': '--content',
		'--customer': '--author',
	}),
);

const spread = <Ours>(rows: readonly (readonly [typed: string, ours: Ours])[]): ReadonlyMap<string, Ours> =>
	new Map(rows.flatMap(([typed, ours]) => typed.split(' ').map((word) => [word, ours] as const)));

export interface Noun {
	readonly group: readonly string[];
	/** What stands between its verbs and the rest. */
	readonly owner?: string;
}

const group = (...words: string[]): Noun => ({ group: words });
const taxonomy = (owner: string): Noun => ({ group: ['term'], owner });

/** In the singular. */
export const nouns = spread<Noun>([
	['ticket issue case conversation post incident', group('ticket')],
	['reply comment message', group('reply')],
	['user agent customer requester contact client person people account member staff', group('user')],
	['attachment media file image upload', group('attachment')],
	['term taxonomy category', group('term')],
	['profile config context setting connection', group('profile')],
	['run job rollout deployment', group('run')],
	['password token application-password app-password api-key', group('user', 'password')],
	['custom-field customfield field meta', group('ticket', 'fields')],
	['tag label', taxonomy('ticket-tag')],
	['department group team queue', taxonomy('department')],
	['product brand', taxonomy('product')],
	['priority', taxonomy('ticket_priority')],
	['channel', taxonomy('ticket_channel')],
]);

/** Also in the plural. */
export function nounMeant(word: string): Noun | undefined {
	const lower = word.toLowerCase();
	const singular = [lower, lower.replace(/s$/, ''), lower.replace(/ies$/, 'y')];
	return nouns.get(singular.find((each) => nouns.has(each)) ?? '');
}

/**
 * Likeliest first, below the group that was typed, then from the top; `/` only from the top. `{}` is all arguments, `{none}` means that there are
 * none, `{id}` is one that is a number, `{run}` one that can be a run, `{sheet}` are words for a spreadsheet, left out, `{file}` a file of rows, and `{path}` one of an API, `{site}` an address. Those without any ignore the arguments.
 */
export const verbs = spread<readonly string[]>([
	[
		'show view get read describe info display print cat',
		['api GET {path}', 'get {}', 'show {}', 'run show {run}', 'list {}'],
	],
	['status', ['/doctor {none}', 'get {}', 'show {}', 'run show {run}', 'list {}']],
	['watch download', ['show {}', 'run show {run}']],
	['last latest', ['run show last']],
	['log logs audit audits blame changelog activity events', ['history {}', 'run show {run}', 'run list']],
	['list ls', ['list {}', 'get {id}']],
	['find search grep query filter', ['list --search {}', 'list --id {}']],
	['history', ['history {}', 'run list --id {}', 'run list']],
	['edit', ['edit {}', 'set {}', 'update {}']],
	['update-many', ['update {}', 'update --help']],
	['transition', ['update {first} --status {last}']],
	['add-role grant-role', ['update {first} --add-roles {last}']],
	['remove-role revoke-role', ['update {first} --remove-roles {last}']],
	['rename', ['rename {}', 'update {}', 'edit {}']],
	['update set change modify patch put', ['update {}', 'set {}', 'update --input {file}', 'edit {}']],
	['bulk bulk-update batch', ['update --input {file}', 'help bulk']],
	['delete rm remove destroy trash clean del', ['delete {}', 'remove {}', 'prune {}']],
	['reset-password set-password passwd', ['update {} --password-prompt']],
	['close resolve solve archive done', ['update {} --state closed']],
	['open reopen', ['update {} --state open']],
	['tag-add add-tag label-add add-label', ['update {first} --add-ticket-tag {last}']],
	['tag-remove remove-tag delete-tag label-remove remove-label', ['update {first} --remove-ticket-tag {last}']],
	['assign', ['update {first} --assignee {last}']],
	['take claim', ['update {} --assignee @me']],
	['restore untrash undelete', ['update {} --status queued', 'run undo --help']],
	['count', ['list --format count']],
	['unassign clear-assignee remove-assignee', ['update {} --assignee none']],
	['tag label', ['update {first} --add-ticket-tag {last}']],
	['untag unlabel', ['update {first} --remove-ticket-tag {last}']],
	['create new add invite', ['set {}']],
	['check verify', ['/doctor {none}', 'check {}', 'user check {}']],
	['resume continue', ['resume {}', 'run resume {}', 'run resume last']],
	['undo revert rollback', ['undo {}', 'run undo {}', 'run undo last']],
	['rejects failed', ['rejects {}', 'run rejects {}', 'run rejects last']],
	['retry rerun redo restart replay', ['retry {}', 'run retry {}', 'run retry last']],
	['prune', ['run prune']],
	['apply', ['run apply {}', 'help plan']],
	['plan', ['run {}', 'update --input {file} --plan changes.plan', 'help plan']],
	['diff changes', ['run show {run} --changes', 'run show last --changes']],
	['report', ['run show {run} --report html:report.html', 'run show last --report html:report.html']],
	['export dump', ['run show {run} --format csv', 'list {} --format csv', 'list {sheet} --format csv']],
	['import load upload', ['update --input {file}']],
	['revoke', ['user password delete {}']],
	// An account can't be disabled: leavers are deleted, and their tickets handed over.
	['disable deactivate suspend block offboard', ['user delete --help']],
	['use switch select checkout', ['use {}', 'profile use {}']],
	['get-contexts', ['list']],
	['current', ['show {none}', 'profile show']],
	['signin configure init', ['login {none}', 'login {site}', 'profile {}']],
	['auth-login', ['login {}']],
	['auth-logout', ['logout {}']],
	['auth', ['login {none}', 'whoami']],
	['config-get', ['profile show']],
	['set-url set-base-url url base-url', ['profile set NAME --base-url {site}', 'profile set --help']],
	['signout', ['logout {}']],
	['request curl', ['api {}', 'api GET {path}']],
	['mock demo serve server start', ['sandbox {}', 'sandbox --help']],
	['me sts get-caller-identity', ['whoami']],
	['test ping health', ['doctor']],
	['man tutorial examples guide quickstart', ['help start']],
	['commands usage', ['help']],
]);

/**
 * Likeliest first, of the flags that the command has; `{}` is the value, `{.md}` one that ends so, and `{}` alone an
 * argument. An empty one means that the command does so without a flag.
 */
export const flagsMeant = spread<readonly string[]>([
	['--unassigned --no-assignee', ['--assignee none']],
	['--mine', ['--assignee @me']],
	['--open', ['--state open']],
	['--closed', ['--state closed']],
	['--agent --owner --assigned-to --assigned --assign --assign-to --add-assignee', ['--assignee']],
	['--remove-assignee --unassign', ['--assignee none']],
	['--close', ['--state closed']],
	['--reopen', ['--state open']],
	['--agents', ['--roles agent']],
	['--requester', ['--author']],
	['--user', ['--assignee', '--username']],
	['-u', ['--username']],
	['--name --email --text --keyword', ['--search']],
	// To add is safer than to replace.
	['--tags --label --labels', ['--add-ticket-tag', '--ticket-tag']],
	['--add-label', ['--add-ticket-tag']],
	['--remove-label --remove-tags --delete-tag --untag', ['--remove-ticket-tag']],
	['--count', ['--format count']],
	['--csv', ['--format csv', '--input']],
	['--tsv', ['--format tsv', '--input']],
	['--table', ['--format table']],
	['--ndjson --jsonl --json-lines', ['--format ndjson']],
	['--yaml', ['--format yaml']],
	['--ids-only --only-ids --id-only', ['--format ids']],
	[
		'--output -o',
		['--format', '--report html:{.html}', '--report junit:{.xml}', '--report markdown:{.md}', '--plan {.plan}'],
	],
	['--out --save', ['--plan', '--report']],
	['--columns --select --show', ['--map', '--fields']],
	['--rename', ['--map']],
	['--silent', ['--quiet']],
	['--jq', ['--query']],
	['--newest --latest', ['--sort -id']],
	['--order-by --sort-by', ['--sort']],
	['--order --reverse --desc --descending', ['--sort -id']],
	['--max-results --max-items --page-size --per-page --last --top --head', ['--limit', '{}', 'last']],
	['--limit', ['--first']],
	['--page --all --no-paginate --paginate --no-limit', ['']],
	['--since --from --created', ['--created-after', '--since', '--input']],
	['--until --to', ['--created-before', '--reassign', '--assignee']],
	['--updated --modified', ['--modified-after']],
	['--older-than --stale --inactive --idle --untouched', ['--modified-before', '--older-than']],
	['--newer-than', ['--modified-after']],
	['--days', ['--older-than {}d', '--modified-before {}d']],
	['--excel --xlsx --xls --spreadsheet', ['--input', '--format csv']],
	['--file --from-file --in --data-file', ['--input', '{}']],
	['-f', ['--input', '{}', '--format', '--force']],
	['--plan --run', ['{}']],
	['--sep --separator', ['--delimiter']],
	['--charset --character-set', ['--encoding']],
	['--ids --id --ticket --ticket-id --issue --number --user-id --only', ['{}', '--ids']],
	['--skip --exclude', ['--except', '--ignore-column']],
	['--where --filter --filters --when --match', ['--if', '--query']],
	['--junit --report-junit', ['--report junit:{}']],
	['--html', ['--report html:{}']],
	['--markdown --md', ['--report markdown:{}']],
	['--id-column', ['--map {}=id']],
	['--noop --simulate --what-if --whatif --check --preview', ['--dry-run']],
	['--no-confirm --assume-yes --non-interactive --no-prompt --approve --auto-approve --no-input', ['--yes']],
	['--force', ['--overwrite', '--yes']],
	['--permanent --permanently --hard --purge', ['--force']],
	['--transfer-to --receiver --new-owner', ['--reassign']],
	['--parallel --jobs --threads --workers --parallelism --max-procs -P', ['--concurrency']],
	['--throttle --rps', ['--rate']],
	['--skip-errors', ['--skip-invalid']],
	['--continue-on-error --keep-going --backup --only-failed --no-dry-run', ['']],
	// Commands, which no flag stands for.
	['--undo --revert --rollback --resume --retry', []],
	['--fail-fast', ['--stop-on-error']],
	['--max-rows', ['--max']],
	['--log --log-file', ['--journal']],
	['--message -m --comment --reason', ['--note']],
	['--failed --errors --error', ['--outcome failed']],
	['--diff', ['--changes', '--dry-run']],
	['--url --host --server --endpoint', ['--base-url']],
	['--readonly --read-only', ['--protected']],
	['-p', ['--port', '--profile']],
]);

/** Flags of other tools that take NAME=VALUE, where ours are named like the field. */
export const settingFlags: ReadonlySet<string> = new Set(
	'--set -f -F -d --data --value --field-value --custom --custom-field --meta'.split(' '),
);

/** They choose objects; in a list, so do the flags of fields. */
export const conditionFlags: ReadonlySet<string> = new Set('--where --filter --filters --when --match'.split(' '));

/** They turn what follows them round: `--remove-assignee` is not `--assignee`. */
export const negations: ReadonlySet<string> = new Set(
	'no not remove delete clear unset without exclude skip'.split(' '),
);

/** In the names of flags. */
export const flagWords = spread<string>([
	['updated changed edited', 'modified'],
	['opened', 'created'],
	['since from', 'after'],
	['until', 'before'],
]);
