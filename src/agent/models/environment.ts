/** The variables of a run: what `process.env` holds. */
export type Environment = Readonly<Record<string, string | undefined>>;
