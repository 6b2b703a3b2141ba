/** Users, who signs in as whom, and application passwords. */

import { texts } from './arguments.js';
import { withoutSpaces } from './generate.js';
import {
	type Call,
	createResource,
	type Handler,
	type Kind,
	type Resource,
	type Service,
	type Shape,
} from './resources.js';
import { noUser, ok, ServiceError } from './responses.js';
import { forbidden, rightsOf } from './rights.js';
import type { Records, User } from './samples.js';

function findUser({ users }: Records, test: (user: User) => boolean): User | undefined {
	return [...users.values()].find(test);
}

/** By username or email, with an application password. @throws ServiceError 401 */
export function callerOf(store: Records, header = ''): User {
	const encoded = /^basic +([a-z0-9+/=_-]+)\s*$/i.exec(header)?.[1];
	if (encoded === undefined) {
		throw new ServiceError(401, 'rest_not_logged_in', 'You are not currently logged in.');
	}
	const [name = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
	const password = withoutSpaces(rest.join(':'));
	const user = findUser(store, (each) => each.username === name || each.email === name);
	if (user?.passwords.some((each) => each.password === password)) return user;
	throw new ServiceError(401, 'incorrect_password', 'The provided password is an invalid application password.');
}

export function createUsers({ store, dialect }: Service): Resource & { readonly me: Handler } {
	const posts = () => [store.tickets, store.replies, store.attachments].flatMap((table) => [...table.values()]);
	const kind: Kind<User> = {
		table: store.users,
		missing: noUser,
		check(user, { caller }, action) {
			if (action === 'read' || user === caller || rightsOf(caller).users) return;
			throw forbidden(action === 'edit' ? 'rest_cannot_edit' : 'rest_user_cannot_delete', `${action} this user`);
		},
		shape({ password: _, passwords: _passwords, ...user }) {
			// Services show these values where nothing is stored; writing them back would store them.
			const whole = { ...user, locale: user.locale || 'en_US', meta: { persisted_preferences: [] } };
			return Object.fromEntries(Object.entries(whole).map(([name, value]) => [dialect.toOwn(name), value]));
		},
		stored(name, value, user) {
			if (name === 'username' && value !== user.username) {
				throw new ServiceError(400, 'rest_user_invalid_argument', "Username isn't editable.");
			}
			if (name === 'password') return { password: withoutSpaces(value as string) };
			return name === 'meta' ? {} : undefined;
		},
		detach(user, { reassign }) {
			const receiver = store.users.get(reassign as number);
			if (receiver === undefined || receiver === user) {
				throw new ServiceError(400, 'rest_user_invalid_reassign', 'Invalid user ID for reassignment.');
			}
			for (const post of posts()) if (post.author === user.id) post.author = receiver.id;
		},
		filters: { roles: texts },
	};
	const users = createResource<User>(kind);
	const authors = () => new Set(posts().map(({ author }) => author));
	/** What other accounts see: users with posts, without usernames. */
	const seen = createResource<User>({
		...kind,
		rows() {
			const withPosts = authors();
			return [...store.users.values()].filter(({ id }) => withPosts.has(id));
		},
		shape: (user) => ({ ...kind.shape(user), username: undefined, email: undefined, roles: undefined }),
		check({ id }) {
			if (!authors().has(id)) throw forbidden('rest_user_cannot_view', 'list users');
		},
	});
	const isWhole = ({ caller, values }: Call): boolean => rightsOf(caller).users || values.id === caller.id;
	return {
		...users,
		list: (call) => (isWhole(call) ? users : seen).list(call),
		get: (call) => (isWhole(call) ? users : seen).get(call),
		delete(call) {
			// Live services look for required parameters before anything else.
			if (call.values.reassign !== undefined) return users.delete(call);
			const missing = { params: ['reassign'] };
			throw new ServiceError(400, 'rest_missing_callback_param', 'Missing parameter(s): reassign', missing);
		},
		me: (call) => users.get({ ...call, values: { id: call.caller.id } }),
	};
}

export function createAccounts(service: Service): Record<'check' | 'id' | 'passwords' | 'revoke', Handler> {
	const { store, isLenient } = service;

	function named({ values: { username } }: Call): User {
		const user = findUser(store, (each) => each.username === username);
		if (user === undefined) throw new ServiceError(400, 'invalid_username', 'Invalid username.');
		return user;
	}

	function owner({ caller, values }: Call): User {
		const user = store.users.get(values.user_id as number);
		if (user === undefined) throw noUser;
		if (user !== caller && !rightsOf(caller).users) {
			throw forbidden('rest_cannot_manage_application_passwords', 'manage application passwords for this user');
		}
		return user;
	}

	const shape = ({ password: _, ...rest }: User['passwords'][number]): Shape => rest;

	return {
		id(call) {
			if (!isLenient && call.values.username !== call.caller.username) {
				const message = 'Sorry, you are not allowed to ask about this username.';
				throw new ServiceError(400, 'invalid_username_access', message);
			}
			return ok({ id: named(call).id });
		},

		// Quotes, backslashes and outer spaces make right passwords wrong.
		check(call) {
			const user = named(call);
			const password = withoutSpaces(String(call.values.password));
			if (![user, ...user.passwords].some((each) => each.password === password)) {
				throw new ServiceError(400, 'invalid_user_credentials', 'Invalid user credentials.');
			}
			return ok({ id: user.id });
		},

		passwords(call) {
			const entries = owner(call).passwords.map((each) => [each.slug, shape(each)]);
			// An empty object is an empty list to the language that the live service is written in.
			return ok(entries.length === 0 ? [] : Object.fromEntries(entries));
		},

		revoke(call) {
			const user = owner(call);
			const password = user.passwords.find((each) => each.slug === call.values.slug);
			if (password === undefined) {
				throw new ServiceError(404, 'rest_application_password_not_found', 'Application password not found.');
			}
			user.passwords = user.passwords.filter((each) => each !== password);
			return ok({ deleted: true, previous: password });
		},
	};
}
