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

export const nouns = new Map(
	Object.entries({
		issue: 'ticket',
		case: 'ticket',
		comment: 'reply',
		agent: 'user',
		customer: 'user',
		media: 'attachment',
		file: 'attachment',
		taxonomy: 'term',
		category: 'term',
		config: 'profile',
	}),
);

/** Likeliest first; `{}` is all arguments, and `{none}` means that there are none. */
export const verbs: ReadonlyMap<string, readonly string[]> = new Map(
	[
		['show view get read describe info status', 'get {}', 'show {}', 'list {}'],
		['log logs', 'show {}', 'run show {}', 'run list'],
		['list ls', 'list {}'],
		['find search', 'list --search {}', 'list --id {}'],
		['history', 'history {}', 'run list --id {}', 'run list'],
		['edit', 'edit {}', 'set {}'],
		['update set change modify patch rename', 'update {}', 'set {}', 'edit {}'],
		['delete rm remove destroy trash clean', 'delete {}', 'remove {}', 'prune {}'],
		['close resolve', 'update {} --state closed'],
		['open reopen', 'update {} --state open'],
		['assign', 'update {first} --assignee {last}'],
		['restore untrash undelete', 'update {} --status queued'],
		['count', 'list --format count'],
		['unassign', 'update {} --assignee none'],
		['tag', 'update {first} --add-ticket-tag {last}', 'term list ticket-tag'],
		['untag', 'update {first} --remove-ticket-tag {last}'],
		['create new add', 'set {}'],
		['check verify', 'check {}', 'user check {}'],
		['resume continue', 'resume {}', 'run resume {}', 'run resume last'],
		['undo revert rollback', 'undo {}', 'run undo {}', 'run undo last'],
		['rejects failed', 'rejects {}', 'run rejects {}', 'run rejects last'],
		['retry rerun', 'retry {}', 'run retry {}', 'run retry last'],
		['prune', 'run prune'],
		['apply', 'run apply {}'],
		['plan', 'help plan'],
		['diff changes', 'run show {} --changes', 'run show last --changes'],
		['export dump', 'list {} --format csv'],
		['import load', 'update --input {}'],
		['revoke', 'user password delete {}'],
		// An account can't be disabled: leavers are deleted, and their tickets handed over.
		['disable deactivate', 'user delete --help'],
		['use switch select', 'use {}', 'profile use {}'],
		['signin init', 'login {}'],
		['auth', 'login {none}', 'whoami'],
		['signout', 'logout {}'],
		['request curl', 'api {}'],
		['mock demo', 'sandbox {}'],
		['me', 'whoami'],
	].flatMap(([typed = '', ...ours]) => typed.split(' ').map((word) => [word, ours] as const)),
);

/** Likeliest first; `{}` is the value, and alone an argument. */
export const flagsMeant: ReadonlyMap<string, readonly string[]> = new Map(
	[
		['--unassigned --no-assignee', '--assignee none'],
		['--mine', '--assignee @me'],
		['--open', '--state open'],
		['--closed', '--state closed'],
		['--agent --owner', '--assignee'],
		['--requester', '--author'],
		['--tags --label --labels', '--ticket-tag'],
		['--count', '--format count'],
		['--csv', '--format csv'],
		['--ndjson --jsonl', '--format ndjson'],
		['--yaml', '--format yaml'],
		['--newest --latest', '--sort -id'],
		['--since', '--after'],
		['--until', '--before'],
		['--older-than --stale', '--modified-before'],
		['--newer-than', '--modified-after'],
		['--output -o', '--format'],
		['--jq', '--query'],
		['--order-by --sort-by', '--sort'],
		['--max-results', '--limit'],
		['--file -f', '--input', '--format'],
		['--ids --id', '{}'],
		['--where --filter', '--if', '--query'],
		['--junit', '--report junit:{}'],
		['--html', '--report html:{}'],
		['--markdown --md', '--report markdown:{}'],
		['--id-column', '--map {}=id'],
	].flatMap(([typed = '', ...ours]) => typed.split(' ').map((flag) => [flag, ours] as const)),
);

/** Flags of other tools that take NAME=VALUE, where ours are named like the field. */
export const settingFlags: ReadonlySet<string> = new Set(['--set', '-f', '-F', '-d', '--data', '--value']);
