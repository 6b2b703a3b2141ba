/** What requests about the replies of a ticket mean. */

import { endpoints } from '../../api/endpoints.js';
import { acceptOneOf, acceptRichText, createBodyReader } from '../accept.js';
import { allowed } from '../access.js';
import { alreadyTrashed, noPost, ServiceError } from '../answers.js';
import { type Call, type Desk, forced, idParameter, type Meaning, ok } from '../call.js';
import { ascending, pageOf } from '../lists.js';
import type { ReplyRecord } from '../records.js';
import { replyShape } from '../shapes.js';

export function createReplies(desk: Desk): Record<'update' | 'remove' | 'read' | 'list', Meaning> {
	const { store } = desk;
	const readBody = createBodyReader(endpoints['reply.update'], desk.dialect, {
		status: acceptOneOf(['read', 'unread']),
		content: acceptRichText,
	});

	/** The reply, which must belong to the ticket. */
	function find(ticketId: number, id: number): ReplyRecord {
		const reply = store.repliesOf(ticketId).find((each) => each.id === id);
		if (reply === undefined) throw noPost();
		return reply;
	}

	const ids = (call: Call): [number, number] => [idParameter(call, 'ticket_id'), idParameter(call, 'id')];

	return {
		update(call) {
			const [ticketId, id] = ids(call);
			const { date, date_gmt, ...rest } = readBody(call.body);
			allowed(call.caller, 'edit_tickets', 'rest_cannot_edit', 'edit this post');
			const reply = find(ticketId, id);
			if (rest.author !== undefined && store.users.get(rest.author as number) === undefined) {
				throw new ServiceError(400, 'rest_invalid_author', 'Invalid author ID.');
			}
			Object.assign(reply, rest);
			if (date !== undefined || date_gmt !== undefined) reply.date = (date ?? date_gmt) as string;
			reply.modified = desk.now();
			store.putReply(reply);
			return ok(replyShape(desk, call, reply));
		},

		remove(call) {
			const force = forced(call);
			const [ticketId, id] = ids(call);
			allowed(call.caller, 'delete_tickets', 'rest_cannot_delete', 'delete this post');
			const reply = find(ticketId, id);
			if (force) {
				store.removeReply(reply);
				return ok({ deleted: true, previous: replyShape(desk, call, reply) });
			}
			if (reply.status === 'trash') throw alreadyTrashed();
			reply.status = 'trash';
			reply.modified = desk.now();
			store.putReply(reply);
			return ok(replyShape(desk, call, reply));
		},

		read(call) {
			allowed(call.caller, 'read_tickets', 'rest_forbidden', 'read this reply');
			return ok(replyShape(desk, call, find(...ids(call))));
		},

		list(call) {
			const ticketId = idParameter(call, 'ticket_id');
			allowed(call.caller, 'read_tickets', 'rest_forbidden_context', 'list replies');
			if (store.tickets.get(ticketId) === undefined) throw noPost();
			const status = call.query.get('status');
			const found = store
				.repliesOf(ticketId)
				.filter((each) => (status ? status === 'any' || each.status === status : each.status !== 'trash'));
			if (!ascending(call, true)) found.reverse();
			return pageOf(desk, call, found, (reply) => replyShape(desk, call, reply), true);
		},
	};
}
