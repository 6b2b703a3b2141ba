/** What a service shows of objects that no test has described. */

export type Shown = Record<string, unknown>;

/** What each object holds until it is written. */
const START: Readonly<Record<string, Shown>> = {
	tickets: {
		...{ date: '2026-11-01T08:00:00', date_gmt: '2026-11-01T08:00:00', modified_gmt: '2026-11-01T08:00:00' },
		...{ slug: 'old', status: 'queued', title: 'old', content: 'old', author: 2, state: 'open' },
		...{ 'ticket-tag': [], product: 'old', department: 'old', ticket_priority: 'old', ticket_channel: 'old' },
		...{ assignee: 2, 'secondary-assignee': 2, 'tertiary-assignee': 2 },
		...{ 'customer-reply-count': 2, 'agent-reply-count': 2, 'total-reply-count': 4 },
		...{ 'time-calculated': 2, 'time-adjustments': 2, 'time-adjustments-type': '+', 'time-notes': 'old' },
	},
	replies: {
		...{ date: '2026-11-01T08:00:00', date_gmt: '2026-11-01T08:00:00', modified_gmt: '2026-11-01T08:00:00' },
		...{ status: 'unread', title: 'old', content: 'old', author: 2 },
	},
	users: {
		...{ name: 'old', first_name: 'old', last_name: 'old', nickname: 'old', slug: 'old', description: 'old' },
		...{ email: 'old@desk.example', url: 'http://old.example', locale: 'de_DE', roles: ['customer'], meta: {} },
		...{ support_can_be_assigned: false, support_smart_tickets_order: false, support_after_reply: 'stay' },
	},
	attachments: {
		...{ date: '2026-11-01T08:00:00', date_gmt: '2026-11-01T08:00:00', modified_gmt: '2026-11-01T08:00:00' },
		...{ slug: 'old', status: 'inherit', title: 'old', author: 2, comment_status: 'open', ping_status: 'open' },
		...{ meta: {}, template: '', alt_text: 'old', caption: 'old', description: 'old', post: 2 },
	},
	terms: { name: 'old', slug: 'old', description: 'old', parent: 0, meta: {} },
};

const TEXTS = new Set(['title', 'content', 'caption']);

/** As a service shows it: some texts as they are and as a page shows them. */
export function shownTo(object: Shown, id: number): Shown {
	const fields = Object.entries(object).map(([name, value]) => [
		name,
		TEXTS.has(name) ? { raw: value, rendered: value } : value,
	]);
	return { ...Object.fromEntries(fields), id };
}

/** `/tickets/14` of a request; without the part that stands before it and the query. */
export const pathOf = ({ url }: { url: string }): string => url.replace(/^.*-api\/v1/, '').replace(/[?&].*$/, '');

/** What the object at `/tickets/14` holds at first. */
export function startOf(path: string): Shown {
	const [, noun = '', parent, below = ''] = path.split('/');
	const id = path.split('/').at(-1);
	if (below === 'replies') return { ...START.replies, parent: Number(parent) };
	return { ...(START[noun] ?? START.terms), ...(noun === 'users' && { username: `user${id}` }) };
}
