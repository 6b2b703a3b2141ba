/** What requests about users, their credentials and their application passwords mean. */

import { endpoints } from '../../api/endpoints.js';
import { type Acceptor, acceptOneOf, createBodyReader, mergeMeta, toInteger } from '../accept.js';
import { allowed, forbidden, may, signedIn } from '../access.js';
import { missingParameters, ServiceError, trashNotSupported } from '../answers.js';
import { type Call, type Desk, forced, idParameter, type Meaning, ok, parameter, pathText } from '../call.js';
import { pageOf } from '../lists.js';
import type { UserRecord } from '../records.js';
import { hashSecret, withoutBlanks } from '../secrets.js';
import { seededPassword, slugify } from '../seed.js';
import { passwordShape, userShape } from '../shapes.js';
import { locales, roles } from '../words.js';
import { createSlugs } from './slugs.js';

type Requests =
	| 'update'
	| 'remove'
	| 'check'
	| 'lookUp'
	| 'read'
	| 'me'
	| 'list'
	| 'passwordRemove'
	| 'passwordRead'
	| 'passwordList';

const noUser = (): ServiceError => new ServiceError(404, 'rest_user_invalid_id', 'Invalid user ID.');
const badRequest = (code: string, message: string): ServiceError => new ServiceError(400, code, message);

const acceptNewPassword: Acceptor = (value, name) => {
	if (typeof value !== 'string') return { code: 'rest_invalid_type', message: `${name} is not of type string.` };
	if (value === '') return { code: 'rest_user_invalid_password', message: 'Passwords cannot be empty.' };
	if (!value.includes('\\')) return { value };
	return { code: 'rest_user_invalid_password', message: 'Passwords cannot contain the "\\" character.' };
};

export function createUsers(desk: Desk): Record<Requests, Meaning> {
	const { store } = desk;
	const slugs = createSlugs(store.users);
	const readBody = createBodyReader(endpoints['user.update'], desk.dialect, {
		locale: acceptOneOf(locales),
		password: acceptNewPassword,
		support_after_reply: acceptOneOf(['stay', 'back', 'ask']),
	});
	// A password that could not be chosen today is no error where it is only looked up.
	const readCredentials = createBodyReader(endpoints['user.check'], desk.dialect);

	function find(id: number): UserRecord {
		const user = store.users.get(id);
		if (user === undefined) throw noUser();
		return user;
	}

	function required(call: Call, names: readonly string[]): Record<string, string> {
		const given = Object.fromEntries(names.map((name) => [name, parameter(call, name)]));
		const missing = names.filter((name) => given[name] === undefined);
		if (missing.length > 0) throw missingParameters(missing);
		return readCredentials(given) as Record<string, string>;
	}

	/** Only administrators ask about other people's names. */
	function named(caller: UserRecord, username: string): UserRecord {
		if (username !== caller.username && !may(caller, 'manage_users')) {
			throw badRequest('invalid_username_access', 'Sorry, you are not allowed to ask about this username.');
		}
		const user = store.userByName(username);
		if (user === undefined) throw badRequest('invalid_username', 'Invalid username.');
		return user;
	}

	/** The account's password, or one of its application passwords, as the live service's sign-in takes both. */
	function opens(user: UserRecord, password: string): boolean {
		if (hashSecret(password) === (user.hash ?? hashSecret(seededPassword(user.username)))) return true;
		const hash = hashSecret(withoutBlanks(password));
		return user.passwords.some((each) => each.hash === hash);
	}

	function checkUpdate(caller: UserRecord, user: UserRecord, sent: Record<string, unknown>): void {
		if (sent.username !== undefined && sent.username !== user.username) {
			throw badRequest('rest_user_invalid_argument', "Username isn't editable.");
		}
		if (sent.email !== undefined && sent.email !== user.email) {
			for (const other of store.users.values()) {
				if (other.email === sent.email) throw badRequest('rest_user_invalid_email', 'Invalid email address.');
			}
		}
		if (sent.roles !== undefined) {
			if (!may(caller, 'manage_users')) throw forbidden('rest_cannot_edit_roles', 'edit roles of this user');
			const unknown = (sent.roles as string[]).find((role) => !(roles as readonly string[]).includes(role));
			if (unknown !== undefined) {
				throw badRequest('rest_user_invalid_role', `The role ${unknown} does not exist.`);
			}
		}
		if (sent.slug !== undefined && (slugs.owner(slugify(sent.slug as string)) ?? user).id !== user.id) {
			throw badRequest('rest_user_invalid_slug', 'Invalid slug.');
		}
	}

	/** Whose application passwords are asked for: one's own, or anybody's for an administrator. */
	function passwordOwner(call: Call): UserRecord {
		const id = idParameter(call, 'user_id');
		const caller = signedIn(call.caller);
		if (caller.id !== id)
			allowed(caller, 'manage_users', 'rest_cannot_list_passwords', 'manage passwords of this user');
		return find(id);
	}

	function findPassword(call: Call, user: UserRecord) {
		const slug = pathText(call, 'slug');
		const password = user.passwords.find((each) => each.slug === slug);
		if (password === undefined) {
			throw new ServiceError(404, 'rest_password_not_found', 'Application password not found.');
		}
		return password;
	}

	return {
		update(call) {
			const id = idParameter(call, 'id');
			const sent = readBody(call.body);
			const caller = signedIn(call.caller);
			if (id !== caller.id) allowed(caller, 'manage_users', 'rest_cannot_edit', 'edit this user');
			const user = find(id);
			checkUpdate(caller, user, sent);
			const { username: _, password, slug, meta, ...rest } = sent;
			Object.assign(user, rest);
			if (slug !== undefined) user.slug = slugs.take(user, slugify(slug as string) || user.slug);
			if (password !== undefined) user.hash = hashSecret(password as string);
			if (meta !== undefined) user.meta = mergeMeta(user.meta, meta);
			store.users.put(user);
			return ok(userShape(desk, call, user));
		},

		remove(call) {
			const reassign = parameter(call, 'reassign');
			if (reassign === undefined) throw missingParameters(['reassign']);
			const force = forced(call);
			const id = idParameter(call, 'id');
			const caller = allowed(call.caller, 'manage_users', 'rest_user_cannot_delete', 'delete this user');
			const user = find(id);
			if (!force) throw trashNotSupported('Users');
			const receiver = toInteger(reassign) ?? 0;
			if (receiver === user.id || store.users.get(receiver) === undefined) {
				throw badRequest('rest_user_invalid_reassign', 'Invalid user ID for reassignment.');
			}
			// A desk without its administrator could only be thrown away.
			if (user.id === caller.id) throw forbidden('rest_user_cannot_delete', 'delete this user');
			const previous = userShape(desk, call, user);
			store.removeUser(user, receiver);
			desk.signInsChanged();
			return ok({ deleted: true, previous });
		},

		check(call) {
			const { username, password } = required(call, ['username', 'password']) as { username: string; password: string };
			const user = named(signedIn(call.caller), username);
			if (!opens(user, password)) throw badRequest('invalid_user_credentials', 'Invalid user credentials.');
			return ok({ id: user.id });
		},

		lookUp(call) {
			const { username } = required(call, ['username']) as { username: string };
			return ok({ id: named(signedIn(call.caller), username).id });
		},

		read(call) {
			const id = idParameter(call, 'id');
			const caller = signedIn(call.caller);
			if (id !== caller.id) allowed(caller, 'list_users', 'rest_user_cannot_view', 'list users');
			return ok(userShape(desk, call, find(id)));
		},

		me: (call) => ok(userShape(desk, call, signedIn(call.caller))),

		list(call) {
			allowed(call.caller, 'list_users', 'rest_forbidden_context', 'list users');
			const wanted = call.query.get('roles')?.split(',');
			const search = call.query.get('search')?.toLowerCase();
			const matches = (user: UserRecord): boolean =>
				(wanted === undefined || user.roles.some((role) => wanted.includes(role))) &&
				(!search || `${user.username} ${user.name} ${user.email}`.toLowerCase().includes(search));
			return pageOf(
				desk,
				call,
				[...store.users.values()].filter(matches),
				(user) => userShape(desk, call, user),
				false,
			);
		},

		passwordRemove(call) {
			const user = passwordOwner(call);
			const password = findPassword(call, user);
			user.passwords = user.passwords.filter((each) => each !== password);
			store.users.put(user);
			desk.signInsChanged();
			return ok({ deleted: true, previous: passwordShape(password, true) });
		},

		passwordRead(call) {
			return ok(passwordShape(findPassword(call, passwordOwner(call))));
		},

		passwordList(call) {
			return pageOf(desk, call, passwordOwner(call).passwords, (each) => passwordShape(each), false);
		},
	};
}
