/** Users, their credentials and their application passwords. */

import { texts } from '../arguments.js';
import { allowed, type Call, findUser, type Handler, may, type Resource, type Service, signedIn } from '../call.js';
import { createList, type ListRules, listArguments } from '../lists.js';
import { badRequest, forbidden, invalidArguments, noTrash, ok, ServiceError } from '../responses.js';
import { firstPassword, type PasswordRecord, type UserRecord } from '../seed.js';
import { filtered, hashPassword, hashSecret, slugify } from '../text.js';
import { roles } from '../words.js';

type Requests = 'check' | 'lookUp' | 'me' | 'passwordList' | 'passwordGet' | 'passwordDelete';

export interface UserResource extends Resource {
	readonly handlers: Resource['handlers'] & Readonly<Record<Requests, Handler>>;
}

/** Fields that only `context=edit` shows. */
const editOnly =
	'username first_name last_name email locale nickname roles registered_date capabilities extra_capabilities'.split(
		' ',
	);
const names = ['name', 'first_name', 'last_name', 'nickname', 'description'];

/** The hash stands only where a password is deleted: the tool has to keep it off the screen. */
function passwordShape(password: PasswordRecord, withHash = false): Record<string, unknown> {
	const { hash, ...rest } = password;
	return { ...rest, ...(withHash ? { password: hash } : {}), last_ip: null };
}

export function createUsers(service: Service): UserResource {
	const { store } = service;

	function shape(call: Call, { hash: _, passwords: _passwords, ...user }: UserRecord): Record<string, unknown> {
		const avatar = (size: number): string => `${call.origin}/avatar/${user.id}?s=${size}`;
		const roleMap = Object.fromEntries(user.roles.map((role) => [role, true]));
		const whole = {
			...user,
			link: `${call.origin}/author/${user.slug}/`,
			capabilities: { read: true, ...roleMap },
			extra_capabilities: roleMap,
			avatar_urls: { '24': avatar(24), '48': avatar(48), '96': avatar(96) },
			meta: [],
			_links: call.links('/users', user.id),
		};
		const seen = Object.entries(whole).filter(([name]) => call.edit || !editOnly.includes(name));
		return Object.fromEntries(seen.map(([name, value]) => [service.dialect.fieldOut(name), value]));
	}

	function find(id: unknown): UserRecord {
		const user = store.users.get(id as number);
		if (user === undefined) throw new ServiceError(404, 'rest_user_invalid_id', 'Invalid user ID.');
		return user;
	}

	/** The user that a request is about: the caller, or anybody for an administrator. */
	function findFor(call: Call, id: unknown, code: string): UserRecord {
		if (signedIn(call).id !== id) allowed(call, 'administrator', code);
		return find(id);
	}

	/** A user by login name; only administrators ask about other names than their own. */
	function named(call: Call): UserRecord {
		const { username } = call.values;
		const caller = signedIn(call);
		if (username !== caller.username && !may(caller, 'administrator')) {
			throw badRequest('invalid_username_access', 'Sorry, you are not allowed to ask about this username.');
		}
		const user = findUser(store, (each) => each.username === username);
		if (user === undefined) throw badRequest('invalid_username', 'Invalid username.');
		return user;
	}

	/** The account's password, or an application password. Quotes, backslashes and outer spaces make right ones wrong. */
	function opens(user: UserRecord, password: string): boolean {
		if (/["'\\]|^\s|\s$/.test(password)) return false;
		const own = user.hash ?? hashSecret(firstPassword(user.username));
		return own === hashSecret(password) || user.passwords.some(({ hash }) => hash === hashPassword(password));
	}

	function checkUpdate(call: Call, user: UserRecord): void {
		const { username, email, roles: newRoles, slug, password } = call.values;
		if (username !== undefined && username !== user.username) {
			throw badRequest('rest_user_invalid_argument', "Username isn't editable.");
		}
		if (email !== undefined && (findUser(store, (each) => each.email === email) ?? user) !== user) {
			throw badRequest('rest_user_invalid_email', 'Invalid email address.');
		}
		if (newRoles !== undefined) {
			allowed(call, 'administrator', 'rest_cannot_edit_roles');
			const unknown = (newRoles as string[]).find((role) => !(roles as readonly string[]).includes(role));
			if (unknown !== undefined) throw badRequest('rest_user_invalid_role', `The role ${unknown} does not exist.`);
		}
		const newSlug = slugify((slug as string | undefined) ?? '');
		if (slug !== undefined && (findUser(store, (each) => each.slug === newSlug) ?? user) !== user) {
			throw badRequest('rest_user_invalid_slug', 'Invalid slug.');
		}
		if (password === '' || (typeof password === 'string' && password.includes('\\'))) {
			const message = 'Passwords cannot be empty or contain the "\\" character.';
			throw invalidArguments([['password', { code: 'rest_user_invalid_password', message }]]);
		}
	}

	function findPassword(call: Call, user: UserRecord): PasswordRecord {
		const password = user.passwords.find((each) => each.slug === call.values.slug);
		if (password !== undefined) return password;
		throw new ServiceError(404, 'rest_application_password_not_found', 'Application password not found.');
	}

	const passwordOwner = (call: Call): UserRecord =>
		findFor(call, call.values.user_id, 'rest_cannot_list_application_passwords');

	const list: ListRules<UserRecord> = {
		rows: () => store.users.values(),
		filters: {
			roles: { argument: texts, test: (user, wanted: string[]) => user.roles.some((role) => wanted.includes(role)) },
		},
		searched: (user) => `${user.username} ${user.name} ${user.email}`,
		orders: {
			name: (user) => user.name,
			slug: (user) => user.slug,
			email: (user) => user.email,
			registered_date: (user) => user.registered_date,
		},
		defaultOrder: ['name', 'asc'],
		strict: false,
		shape,
	};
	const listUsers = createList(service, list);

	return {
		listArguments: listArguments(list),
		handlers: {
			list(call) {
				allowed(call, 'administrator', 'rest_forbidden_context');
				return listUsers(call);
			},

			get: (call) => ok(shape(call, findFor(call, call.values.id, 'rest_user_cannot_view'))),

			me: (call) => ok(shape(call, signedIn(call))),

			update(call) {
				const user = findFor(call, call.values.id, 'rest_cannot_edit');
				checkUpdate(call, user);
				const { values }: { values: Record<string, unknown> } = call;
				const { id: _, meta: _unregistered, username: _fixed, password, slug, ...sent } = values;
				for (const name of names) if (sent[name] !== undefined) sent[name] = filtered(sent[name] as string);
				Object.assign(user, sent);
				if (slug !== undefined) user.slug = slugify(slug as string) || user.slug;
				if (password !== undefined) user.hash = hashSecret(password as string);
				store.users.put(user);
				return ok(shape(call, user));
			},

			delete(call) {
				const caller = allowed(call, 'administrator', 'rest_user_cannot_delete');
				const user = find(call.values.id);
				if (call.values.force !== true) throw noTrash('Users');
				const receiver = store.users.get(call.values.reassign as number);
				if (receiver === undefined || receiver === user) {
					throw badRequest('rest_user_invalid_reassign', 'Invalid user ID for reassignment.');
				}
				// Without its administrator nobody could use the sandbox.
				if (user === caller) throw forbidden('rest_user_cannot_delete');
				const previous = shape(call, user);
				store.removeUser(user, receiver.id);
				return ok({ deleted: true, previous });
			},

			check(call) {
				const user = named(call);
				if (!opens(user, call.values.password as string)) {
					throw badRequest('invalid_user_credentials', 'Invalid user credentials.');
				}
				return ok({ id: user.id });
			},

			lookUp: (call) => ok({ id: named(call).id }),

			passwordList: (call) => ok(passwordOwner(call).passwords.map((each) => passwordShape(each))),

			passwordGet: (call) => ok(passwordShape(findPassword(call, passwordOwner(call)))),

			/** The passwords of a user are one stored value: of two deletes at the same time, one brings back what the other deleted. */
			async passwordDelete(call) {
				const user = passwordOwner(call);
				const password = findPassword(call, user);
				const left = user.passwords.filter((each) => each !== password);
				await service.pause();
				user.passwords = left;
				store.users.put(user);
				return ok({ deleted: true, previous: passwordShape(password, true) });
			},
		},
	};
}
