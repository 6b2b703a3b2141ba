/** Words of other tools, in Maps: they hold no word such as "constructor". */

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

/** Likeliest first; `{}` is all arguments. */
export const verbs: ReadonlyMap<string, readonly string[]> = new Map(
	[
		['show view get read describe info status', 'get {}', 'show {}', 'list {}'],
		['log logs', 'show {}', 'run show {}'],
		['list ls', 'list {}'],
		['find search', 'list --search {}'],
		['history', 'run list {}'],
		['update edit set change modify patch rename', 'update {}', 'set {}', 'edit {}'],
		['delete rm remove destroy trash clean', 'delete {}', 'remove {}', 'prune {}'],
		['close resolve', 'update {} --state closed'],
		['open reopen', 'update {} --state open'],
		['assign', 'update {first} --assignee {last}'],
		['restore untrash undelete', 'update {} --status STATUS'],
		['count', 'list --format count'],
		['unassign', 'update {} --assignee none'],
		['tag', 'update {first} --add-ticket-tag {last}'],
		['untag', 'update {first} --remove-ticket-tag {last}'],
		['create new add', 'set {}'],
		['check verify', 'check {}', 'user check {}'],
		['resume continue', 'resume {}', 'run resume {}'],
		['undo revert rollback', 'undo {}', 'run undo {}'],
		['rejects failed', 'rejects {}', 'run rejects {}'],
		['retry', 'retry {}', 'run retry {}'],
		['prune', 'run prune'],
		['use switch select', 'use {}', 'profile use {}'],
		['signin auth', 'login {}'],
		['signout', 'logout {}'],
		['request curl', 'api {}'],
		['mock demo', 'sandbox {}'],
		['me', 'whoami'],
	].flatMap(([typed = '', ...ours]) => typed.split(' ').map((word) => [word, ours] as const)),
);

export const flagsMeant = new Map(
	Object.entries({
		'--unassigned': '--assignee none',
		'--no-assignee': '--assignee none',
		'--mine': '--assignee @me',
		'--open': '--state open',
		'--closed': '--state closed',
		'--agent': '--assignee',
		'--owner': '--assignee',
		'--requester': '--author',
		'--tags': '--ticket-tag',
		'--count': '--format count',
		'--newest': '--sort -id',
		'--latest': '--sort -id',
		'--since': '--after',
		'--until': '--before',
		'--output': '--format',
		'-o': '--format',
		'--jq': '--query',
		'--order-by': '--sort',
		'--sort-by': '--sort',
		'--max-results': '--limit',
		'--file': '--input',
		'--id-column': '--map COLUMN=id',
	}),
);
