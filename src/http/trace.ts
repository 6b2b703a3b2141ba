/** What happened on the wire, attempt by attempt, for `-v` and `-vv`; redaction is the listener's. */

export type TraceEvent =
	| { type: 'request'; method: string; url: string; headers: readonly string[]; body: string | undefined }
	| {
			type: 'answer';
			method: string;
			url: string;
			status: number;
			headers: Readonly<Record<string, string | string[] | undefined>>;
			body: string;
			/** The body of the request. */
			requestBody?: string | undefined;
			/** Bytes of the body before it was decoded. */
			bytes: number;
			ms: number;
	  }
	| { type: 'problem'; method: string; url: string; message: string; sent: boolean; ms: number };

export type Trace = (event: TraceEvent) => void;
