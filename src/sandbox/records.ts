/** What the sandbox remembers of each resource; keys are the interface's field names wherever it has one (section 2). */

/** A ticket. Terms are kept by id, so that renaming one shows at once; the sandbox's site keeps its clocks in GMT. */
export interface TicketRecord {
	id: number;
	date: string;
	modified: string;
	slug: string;
	/** A neutral name of section 3, or `trash`. */
	status: string;
	title: string;
	content: string;
	'ticket-tag': number[];
	/** Term ids; 0 stands for none. */
	product: number;
	department: number;
	ticket_priority: number;
	ticket_channel: number;
	state: string;
	author: number;
	assignee: number;
	'secondary-assignee': number;
	'tertiary-assignee': number;
	'customer-reply-count': number;
	'agent-reply-count': number;
	'total-reply-count': number;
	'time-calculated': number;
	'time-adjustments': number;
	'time-adjustments-type': string;
	'time-notes': string;
}

export interface ReplyRecord {
	id: number;
	ticket: number;
	date: string;
	modified: string;
	status: string;
	content: string;
	author: number;
}

export interface PasswordRecord {
	slug: string;
	name: string;
	hash: string;
	created: string;
	last_used: string | null;
}

export interface UserRecord {
	id: number;
	username: string;
	name: string;
	first_name: string;
	last_name: string;
	email: string;
	url: string;
	description: string;
	locale: string;
	nickname: string;
	slug: string;
	roles: string[];
	registered_date: string;
	meta: Record<string, unknown>;
	support_can_be_assigned: boolean;
	support_smart_tickets_order: boolean;
	support_after_reply: string;
	/** Hash of the account's password; absent while it is the one that the seed gave (see `seededPassword`). */
	hash?: string;
	/** Application passwords: what callers sign in with. */
	passwords: PasswordRecord[];
}

export interface TermRecord {
	id: number;
	taxonomy: string;
	name: string;
	slug: string;
	description: string;
	parent: number;
	meta: Record<string, unknown>;
	/** Only priorities have one. */
	color?: string;
}

export interface AttachmentRecord {
	id: number;
	date: string;
	modified: string;
	slug: string;
	status: string;
	title: string;
	author: number;
	comment_status: string;
	ping_status: string;
	meta: Record<string, unknown>;
	template: string;
	alt_text: string;
	caption: string;
	description: string;
	post: number;
	file: string;
	mime_type: string;
}

/** A custom field that the desk has set up; tickets hold a value for each. */
export interface CustomField {
	name: string;
	label: string;
	control: 'text' | 'url' | 'textarea' | 'date' | 'select' | 'checkbox';
	options?: readonly string[];
}
