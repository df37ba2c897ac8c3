/** The request header that names a case of the HTTP contract: its number, and a word where there is more than one run. */
export const CASE_HEADER = "x-contract-case";
