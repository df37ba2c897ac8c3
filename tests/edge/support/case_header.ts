/** The request header with the number of a case of the HTTP contract, and a word if the case runs more than once. */
export const CASE_HEADER = "x-contract-case";
