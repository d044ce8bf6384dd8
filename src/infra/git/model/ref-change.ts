import type { Oid, RefName } from './names.ts'

/** A change of a ref from `old` to `new`. The null id stands for a ref that does not exist. */
export type RefChange = { readonly ref: RefName; readonly old: Oid; readonly new: Oid }
