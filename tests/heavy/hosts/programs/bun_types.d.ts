/** The types of Bun, for the check of programs/. */

/// <reference types="npm:@types/bun" />
