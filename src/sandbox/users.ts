/** Users, who signs in as whom, and application passwords. */

import { texts } from './arguments.js';
import { type Call, createResource, type Handler, type Resource, type Service, type Shape } from './resources.js';
import { badRequest, forbidden, invalidArguments, notSignedIn, ok, ServiceError } from './responses.js';
import { firstPassword, roles, type UserRecord } from './samples.js';
import type { Store } from './store.js';
import { filtered, hashPassword, hashSecret, slugify } from './text.js';

function findUser(store: Store, test: (user: UserRecord) => boolean): UserRecord | undefined {
	for (const user of store.users.values()) if (test(user)) return user;
	return undefined;
}

/** By username or email, with an application password. @throws ServiceError 401 */
export function callerOf(store: Store, header: string): UserRecord {
	const encoded = /^basic +([a-z0-9+/=_-]+)\s*$/i.exec(header)?.[1];
	if (encoded === undefined) throw notSignedIn();
	const [name = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
	const user = findUser(store, (each) => each.username === name || each.email === name);
	if (user === undefined) {
		throw new ServiceError(401, 'invalid_username', 'Unknown username. Check again or try your email address.');
	}
	const hash = hashPassword(rest.join(':'));
	if (user.passwords.every((each) => each.hash !== hash)) {
		throw new ServiceError(401, 'incorrect_password', 'The provided password is an invalid application password.');
	}
	return user;
}

const editOnly = [
	...['username', 'first_name', 'last_name', 'email', 'locale', 'nickname', 'roles', 'registered_date'],
];

export function createUsers(service: Service): Resource & { readonly me: Handler } {
	const { store, dialect } = service;
	const users = createResource<UserRecord>({
		table: store.users,
		missing: ['rest_user_invalid_id', 'Invalid user ID.'],
		collection: () => '/users',
		shape(call, { hash: _, passwords: _passwords, preferences = [], ...user }) {
			const whole = {
				...user,
				link: `${call.origin}/author/${user.slug}/`,
				// Shown if nothing is stored; writing it back stores it.
				locale: user.locale || 'en_US',
				meta: { persisted_preferences: preferences },
			};
			const seen = Object.entries(whole).filter(([name]) => call.edit || !editOnly.includes(name));
			return Object.fromEntries(seen.map(([name, value]) => [dialect.fieldOut(name), value]));
		},
		change(user, sent) {
			if (sent.slug !== undefined) sent.slug = slugify(sent.slug as string) || user.slug;
			const { roles: wanted = [], password } = sent;
			const unknown = (wanted as string[]).find((role) => !(roles as readonly string[]).includes(role));
			if (unknown !== undefined) throw badRequest('rest_user_invalid_role', `The role ${unknown} does not exist.`);
			if ((sent.username ?? user.username) !== user.username) {
				throw badRequest('rest_user_invalid_argument', "Username isn't editable.");
			}
			if (password === '' || (typeof password === 'string' && password.includes('\\'))) {
				throw invalidArguments({ password: 'Passwords cannot be empty or contain the "\\" character.' });
			}
			for (const name of ['name', 'first_name', 'last_name', 'nickname', 'description']) {
				if (sent[name] !== undefined) sent[name] = filtered(sent[name] as string);
			}
			if (password !== undefined) sent.hash = hashSecret(password as string);
			delete sent.password;
			const { persisted_preferences: preferences } = (sent.meta ?? {}) as Shape;
			if (preferences !== undefined) sent.preferences = preferences;
			delete sent.meta;
			return undefined;
		},
		/** Tickets keep the deleted assignee. */
		remove(user, { caller, values }) {
			const receiver = store.users.get(values.reassign as number);
			if (receiver === undefined || receiver === user) {
				throw badRequest('rest_user_invalid_reassign', 'Invalid user ID for reassignment.');
			}
			if (user === caller) throw forbidden('rest_user_cannot_delete');
			const posts = [store.tickets, store.replies, store.attachments].flatMap((table) => [...table.values()]);
			for (const post of posts) if (post.author === user.id) post.author = receiver.id;
			store.users.delete(user.id);
		},
		rows: () => store.users.values(),
		filters: {
			roles: { argument: texts, test: (user, wanted: string[]) => user.roles.some((role) => wanted.includes(role)) },
		},
		searched: (user) => `${user.username} ${user.name} ${user.email}`,
		orders: ['name', 'slug', 'email', 'registered_date'],
		defaultOrder: ['name', 'asc'],
		strict: false,
	});
	return { ...users, me: (call) => users.get({ ...call, values: { ...call.values, id: call.caller.id } }) };
}

export function createAccounts({
	store,
	isLenient,
	pause,
}: Service): Record<'check' | 'id' | 'passwords' | 'revoke', Handler> {
	function named({ values: { username } }: Call): UserRecord {
		const user = findUser(store, (each) => each.username === username);
		if (user === undefined) throw badRequest('invalid_username', 'Invalid username.');
		return user;
	}

	function owner({ values }: Call): UserRecord {
		const user = store.users.get(values.user_id as number);
		if (user === undefined) throw new ServiceError(404, 'rest_user_invalid_id', 'Invalid user ID.');
		return user;
	}

	const shape = ({ hash: _, ...rest }: UserRecord['passwords'][number]): Shape => ({ ...rest, last_ip: null });

	return {
		/** Your own name only. */
		id(call) {
			const { caller, values } = call;
			if (!isLenient && values.username !== caller.username) {
				throw badRequest('invalid_username_access', 'Sorry, you are not allowed to ask about this username.');
			}
			return ok({ id: named(call).id });
		},

		/** Quotes, backslashes and outer spaces make right passwords wrong. */
		check(call) {
			const user = named(call);
			const password = call.values.password as string;
			const own = user.hash ?? hashSecret(firstPassword(user.username));
			const hashes = [hashSecret(password) === own, user.passwords.some(({ hash }) => hash === hashPassword(password))];
			if (/["'\\]|^\s|\s$/.test(password) || !hashes.includes(true)) {
				throw badRequest('invalid_user_credentials', 'Invalid user credentials.');
			}
			return ok({ id: user.id });
		},

		passwords(call) {
			const entries = owner(call).passwords.map((each) => [each.slug, shape(each)]);
			// PHP doesn't tell an empty object from an empty list.
			return ok(entries.length === 0 ? [] : Object.fromEntries(entries));
		},

		/** Of two deletes at a time, one brings back what the other deleted. */
		async revoke(call) {
			const user = owner(call);
			const password = user.passwords.find((each) => each.slug === call.values.slug);
			if (password === undefined) {
				throw new ServiceError(404, 'rest_application_password_not_found', 'Application password not found.');
			}
			const left = user.passwords.filter((each) => each !== password);
			await pause();
			user.passwords = left;
			// The hash must never reach the screen.
			return ok({ deleted: true, previous: { ...shape(password), password: password.hash } });
		},
	};
}
