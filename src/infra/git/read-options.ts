/** Where the objects of a push wait until the gate has spoken. Handed out by the gate, only good while it runs. */
export type Quarantine = { readonly objectDirectory: string; readonly alternateObjectDirectories: string }
export type ReadOptions = { quarantine?: Quarantine; signal?: AbortSignal }
