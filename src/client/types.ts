/** The types of the client's calls, made of the endpoint table: what a call takes follows from its row. */

import type { EndpointName, endpoints } from '../api/endpoints.js';
import type { Field, FieldKind, TicketStatus } from '../api/fields.js';

type Table = typeof endpoints;
type Row<Name extends EndpointName> = Table[Name];

/** What may be given for a field of a kind. */
interface ValueOf {
	text: string;
	longtext: string;
	integer: number | `${number}`;
	user: number | `${number}`;
	boolean: boolean;
	switch: boolean | string;
	date: string;
	status: TicketStatus | (string & {});
	adjustment: 'positive' | 'negative' | '+' | '-';
	email: string;
	term: string;
	terms: readonly (string | number)[];
	list: readonly string[];
	map: Readonly<Record<string, unknown>>;
	secret: string;
}

type Names<Fields extends readonly Field[]> = Fields[number]['name'];
type KindOf<Fields extends readonly Field[], Name> = Extract<Fields[number], { name: Name }>['kind'];
type Values<Fields extends readonly Field[], Chosen extends string> = {
	[Name in Extract<Chosen, Names<Fields>>]: ValueOf[KindOf<Fields, Name> & FieldKind];
};
/** Makes an intersection readable in an editor. */
type Flat<T> = { [Key in keyof T]: T[Key] };

/** Ids in the path: a number or its digits; a slug is a string. */
export type PathIds<Name extends EndpointName> = {
	[Parameter in Row<Name>['parameters'][number] as Parameter['name']]: Parameter['kind'] extends 'slug'
		? string
		: number | string;
};

/** Adds nothing to an intersection, and is not swallowed by a union as `unknown` would be. */
type Nothing = Record<never, never>;

type QueryOf<Parameter> = Parameter extends {
	name: infer Name extends string;
	kind: infer Kind;
	presence: infer Presence;
}
	? Presence extends 'always'
		? Nothing
		: Presence extends 'must'
			? { [Key in Name]: Kind extends 'flag' ? true : number | string }
			: { [Key in Name]?: Kind extends 'flag' ? boolean : number | string }
	: Nothing;

type Intersect<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
	? All
	: never;

/** `force` and `reassign`, where the endpoint takes them. */
export type Query<Name extends EndpointName> = Row<Name>['query'] extends readonly []
	? Nothing
	: Intersect<QueryOf<Row<Name>['query'][number]>>;

type RequiredNames<Name extends EndpointName> = Row<Name>['required'][number];

/** The JSON body, as an object of its own under `fields`. */
export type Body<Name extends EndpointName> = Row<Name>['body'] extends 'custom_fields'
	? { fields: Readonly<Record<string, string>> }
	: Row<Name>['fields'] extends readonly []
		? Nothing
		: {
				fields: Flat<
					Values<Row<Name>['fields'], RequiredNames<Name>> &
						Partial<Values<Row<Name>['fields'], Names<Row<Name>['fields']>>>
				>;
			};

/** Everything that one call takes. */
export type CallInput<Name extends EndpointName> = Flat<PathIds<Name> & Query<Name> & Body<Name>>;
