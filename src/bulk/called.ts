/** What people call the users and terms behind IDs: journals and plans keep the names beside the IDs. */

import type { Field } from '../api/fields.js';
import { kinds, namesTerms } from '../api/kinds.js';
import { isId } from '../api/values.js';
import { type NameOf, receiverField } from './change.js';

export interface CalledRecord {
	/** `users`, or a taxonomy. */
	readonly of: string;
	readonly id: string;
	readonly name: string;
}

export type Named = Pick<Field, 'name' | 'kind'>;

/** One for each distinct user and term. */
export class Called {
	readonly #names = new Map<string, string>();

	readonly nameOf: NameOf = (field, value) => this.#names.get(keyOf(placeOf(field), String(value)));

	add({ of, id, name }: CalledRecord): void {
		this.#names.set(keyOf(of, id), name);
	}

	/** Those that are new here. */
	*learn(fields: readonly Named[], objects: readonly Readonly<Record<string, unknown>>[], nameOf: NameOf) {
		for (const field of fields) {
			const of = placeOf(field);
			if (of === undefined) continue;
			for (const value of objects.flatMap((each) => [each[field.name]].flat())) {
				const id = String(value);
				if (!isId(value) || this.#names.has(keyOf(of, id))) continue;
				const name = nameOf(field, value);
				if (name === undefined) continue;
				const record: CalledRecord = { of, id, name };
				this.add(record);
				yield record;
			}
		}
	}

	/** With the field that a directory is asked for. */
	*entries(): Generator<CalledRecord & { readonly field: Named }> {
		const fields = new Map<string, Named>([['users', receiverField]]);
		for (const [key, name] of this.#names) {
			const [of = '', id = ''] = key.split(' ');
			const field = fields.get(of) ?? { name: of, kind: 'term' };
			fields.set(of, field);
			yield { of, id, name, field };
		}
	}
}

function keyOf(of: string | undefined, id: string): string {
	return `${of} ${id}`;
}

/** Undefined for what has no names. */
function placeOf(field: Named): string | undefined {
	return namesTerms(field) ? field.name : kinds[field.kind].names?.of;
}
