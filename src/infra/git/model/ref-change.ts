import type { Oid, RefName } from './names.ts'

/** A ref that moved, or shall move, from `old` to `new`. The zero id stands for "does not exist". */
export type RefChange = { readonly ref: RefName; readonly old: Oid; readonly new: Oid }
