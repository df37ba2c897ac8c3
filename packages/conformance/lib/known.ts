/** The members of a union that is open to later additions, where a forgotten one must not compile. */
export type Known<Name extends string> = Name extends unknown ? string extends Name ? never : Name : never;
