/** Headers match loosely, then by a table of usual words. */

export function looseName(name: string): string {
	return name.toLowerCase().replace(/[\s_\-.:]+/g, '');
}

/** Field → words of other spreadsheets. */
const words: Readonly<Record<string, string>> = {
	id: '# userid user# replyid attachmentid termid',
	ticket_id: 'ticket ticket# ticketno ticketnr ticketnumber case case# caseid casenumber issue issueid',
	title: 'subject ticketsubject summary headline',
	content: 'body message text description details',
	status: 'ticketstatus',
	assignee: 'assignedto assigned assignedagent assignedagentname agent owner assigneeid',
	'ticket-tag': 'tags tag labels label tickettags',
	department: 'dept departments',
	product: 'products productname',
	ticket_priority: 'priority prio urgency',
	ticket_channel: 'channel via',
	author: 'requester requestedby customer client reporter contact createdby',
	'time-notes': 'timenote',
	username: 'user login loginname userlogin account',
	email: 'emailaddress mail',
	name: 'displayname fullname',
	first_name: 'givenname forename',
	last_name: 'surname familyname',
	roles: 'role',
	url: 'website homepage',
	reassign: 'reassignto receiver',
};

const fields: ReadonlyMap<string, string> = new Map(
	Object.entries(words).flatMap(([field, all]) => all.split(' ').map((word) => [word, field])),
);

export function usualField(name: string): string | undefined {
	return fields.get(looseName(name));
}

export function shellQuoted(text: string): string {
	if (!/["$`\\!]/.test(text)) return `"${text}"`;
	return `'${text.replaceAll("'", "'\\''")}'`;
}
