/** What the sandbox holds: records by id, and which of them were changed, which is all that a state file has to keep. */

/** Ticket fields that hold the id of one term; 0 is none. */
export const ticketTermFields = ['product', 'department', 'ticket_priority', 'ticket_channel'] as const;

type TermField = (typeof ticketTermFields)[number];

/** What tickets, replies and attachments have in common. Keys are the interface's field names wherever it has one (section 2). */
export interface Post {
	id: number;
	date: string;
	modified: string;
	slug: string;
	/** For a ticket a neutral name of section 3, or `trash`. */
	status: string;
	author: number;
}

type Texts<Names extends string> = Record<Names, string>;
type Numbers<Names extends string> = Record<Names, number>;

/** Terms are kept by id, so that a renamed one shows at once. */
export type TicketRecord = Post &
	Texts<'title' | 'content' | 'state' | 'time-adjustments-type' | 'time-notes'> &
	Numbers<TermField | 'assignee' | 'secondary-assignee' | 'tertiary-assignee'> &
	Numbers<'customer-reply-count' | 'agent-reply-count' | 'total-reply-count'> &
	Numbers<'time-calculated' | 'time-adjustments'> & { 'ticket-tag': number[] };

export type ReplyRecord = Post & { ticket: number; content: string };

export type AttachmentRecord = Post & { post: number } & Texts<
		'title' | 'comment_status' | 'ping_status' | 'template' | 'alt_text' | 'caption' | 'description'
	> &
	Texts<'file' | 'mime_type'>;

/** An application password: what callers sign in with. */
export type PasswordRecord = Texts<'slug' | 'name' | 'hash' | 'created'> & { last_used: string | null };

type UserTexts = 'username' | 'name' | 'first_name' | 'last_name' | 'email' | 'url' | 'description' | 'locale';

export interface UserRecord extends Texts<UserTexts | 'nickname' | 'slug' | 'registered_date' | 'support_after_reply'> {
	id: number;
	roles: string[];
	support_can_be_assigned: boolean;
	support_smart_tickets_order: boolean;
	/** Hash of the account's password; absent while it is the first one (see `firstPassword`). */
	hash?: string;
	passwords: PasswordRecord[];
}

/** Only priorities have a color. */
export type TermRecord = { id: number; parent: number; color?: string } & Texts<
	'taxonomy' | 'name' | 'slug' | 'description'
>;

/** The values of a ticket's custom fields, once they were set, under the ticket's id. */
export interface CustomValues {
	id: number;
	values: Record<string, string>;
}

interface Records {
	tickets: TicketRecord;
	replies: ReplyRecord;
	attachments: AttachmentRecord;
	users: UserRecord;
	terms: TermRecord;
	customValues: CustomValues;
}

export const tableNames = ['tickets', 'replies', 'attachments', 'users', 'terms', 'customValues'] as const;

/** What a sandbox begins with. */
export type Seed = { [Name in keyof Records]: Records[Name][] };

/** What differs from the seed: rows that were changed, and ids of rows that are gone. */
interface TableChanges {
	rows: { id: number }[];
	gone: number[];
}

/** What a state file keeps. */
export type Changes = Record<keyof Records, TableChanges>;

/** The rows of one kind by id; `put` what was changed. */
export class Table<T extends { id: number }> extends Map<number, T> {
	readonly #touched = new Set<number>();
	readonly #changed: () => void;

	constructor(rows: readonly T[], changed: () => void) {
		super(rows.map((row) => [row.id, row]));
		this.#changed = changed;
	}

	put(row: T): void {
		this.set(row.id, row);
		this.#touched.add(row.id);
		this.#changed();
	}

	remove(id: number): void {
		this.delete(id);
		this.#touched.add(id);
		this.#changed();
	}

	changes(): TableChanges {
		const touched = [...this.#touched];
		return {
			rows: touched.map((id) => this.get(id)).filter((row) => row !== undefined),
			gone: touched.filter((id) => !this.has(id)),
		};
	}

	restore({ rows, gone }: TableChanges): void {
		for (const row of rows) this.put(row as T);
		for (const id of gone) this.remove(id);
	}
}

/** The records. Tests may read and write them directly. */
export class Store {
	/** Grows with every change. */
	version = 0;
	readonly tickets: Table<TicketRecord>;
	readonly replies: Table<ReplyRecord>;
	readonly attachments: Table<AttachmentRecord>;
	readonly users: Table<UserRecord>;
	readonly terms: Table<TermRecord>;
	readonly customValues: Table<CustomValues>;

	/** @param changed called after every change */
	constructor(seed: Seed, changed: () => void = () => {}) {
		const count = (): void => {
			this.version++;
			changed();
		};
		this.tickets = new Table(seed.tickets, count);
		this.replies = new Table(seed.replies, count);
		this.attachments = new Table(seed.attachments, count);
		this.users = new Table(seed.users, count);
		this.terms = new Table(seed.terms, count);
		this.customValues = new Table(seed.customValues, count);
	}

	repliesOf(ticketId: number): ReplyRecord[] {
		return [...this.replies.values()].filter(({ ticket }) => ticket === ticketId);
	}

	changes(): Changes {
		return Object.fromEntries(tableNames.map((name) => [name, this[name].changes()])) as Changes;
	}

	restore(changes: Changes): void {
		for (const name of tableNames) this[name].restore(changes[name]);
	}
}
