/** What requests about attachments mean. */

import { endpoints } from '../../api/endpoints.js';
import { ticketStatusGroups } from '../../api/statuses.js';
import { acceptOneOf, acceptRichText, createBodyReader, mergeMeta } from '../accept.js';
import { allowed } from '../access.js';
import { noPost, ServiceError } from '../answers.js';
import { type Desk, idParameter, type Meaning, ok } from '../call.js';
import { ascending, integerQuery, pageOf } from '../lists.js';
import { slugify } from '../seed.js';
import { attachmentShape } from '../shapes.js';
import { createSlugs } from './slugs.js';

const openOrClosed = acceptOneOf(['open', 'closed']);

export function createAttachments(desk: Desk): Record<'update' | 'read' | 'list', Meaning> {
	const { store } = desk;
	const slugs = createSlugs(store.attachments);
	const readBody = createBodyReader(endpoints['attachment.update'], desk.dialect, {
		status: acceptOneOf(['inherit', ...ticketStatusGroups.general]),
		comment_status: openOrClosed,
		ping_status: openOrClosed,
		title: acceptRichText,
		caption: acceptRichText,
		description: acceptRichText,
	});

	return {
		update(call) {
			const id = idParameter(call, 'id');
			const { date, date_gmt, slug, meta, ...rest } = readBody(call.body);
			allowed(call.caller, 'edit_attachments', 'rest_cannot_edit', 'edit this post');
			const attachment = store.attachments.get(id);
			if (attachment === undefined) throw noPost();
			if (rest.author !== undefined && store.users.get(rest.author as number) === undefined) {
				throw new ServiceError(400, 'rest_invalid_author', 'Invalid author ID.');
			}
			Object.assign(attachment, rest);
			if (date !== undefined || date_gmt !== undefined) attachment.date = (date ?? date_gmt) as string;
			if (slug !== undefined) {
				attachment.slug = slugs.take(attachment, slugify(slug as string) || slugify(attachment.title));
			}
			if (meta !== undefined) attachment.meta = mergeMeta(attachment.meta, meta);
			attachment.modified = desk.now();
			store.attachments.put(attachment);
			return ok(attachmentShape(desk, call, attachment));
		},

		read(call) {
			allowed(call.caller, 'read_tickets', 'rest_forbidden', 'read this attachment');
			const attachment = store.attachments.get(idParameter(call, 'id'));
			if (attachment === undefined) throw noPost();
			return ok(attachmentShape(desk, call, attachment));
		},

		list(call) {
			allowed(call.caller, 'read_tickets', 'rest_forbidden_context', 'list attachments');
			const author = integerQuery(call, 'author') ?? 0;
			const post = integerQuery(call, 'post');
			const found = [...store.attachments.values()].filter(
				(each) => (author === 0 || each.author === author) && (post === undefined || each.post === post),
			);
			if (!ascending(call, false)) found.reverse();
			return pageOf(desk, call, found, (attachment) => attachmentShape(desk, call, attachment), true);
		},
	};
}
