/** Where new objects wait until the gate has spoken. Only good until then. */
export type Quarantine = { readonly objectDirectory: string; readonly alternateObjectDirectories: string }
export type ReadOptions = { quarantine?: Quarantine; signal?: AbortSignal }
