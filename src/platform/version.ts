declare const __BATON_VERSION__: string;

/** The package's version, written in at build time. */
export const VERSION: string = __BATON_VERSION__;
