/** Where new objects wait until the gate has spoken. Only good until then. */
export type Quarantine = { readonly objectDirectory: string; readonly alternateObjectDirectories: string }
export type ReadOptions = { quarantine?: Quarantine; signal?: AbortSignal }

/** A directory as git reads it in a list of directories: in quotes where it would not stand for itself. */
export function listed(directory: string): string {
  return /[:"\\\n]/.test(directory) ? JSON.stringify(directory) : directory
}
