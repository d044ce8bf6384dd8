/** The directory of the new objects of a push. Valid until the gate has decided. */
export type Quarantine = { readonly objectDirectory: string; readonly alternateObjectDirectories: string }
export type ReadOptions = { quarantine?: Quarantine; signal?: AbortSignal }
