/** Small types that all rooms share. */
/** The hash algorithm of a repository's object ids. */
export type ObjectFormat = 'sha1' | 'sha256'

/** The types of git objects. */
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'
export type FileMode = '100644' | '100755' | '120000' | '160000'

/** The author or committer of a commit, or the tagger of a tag, with the time. */
export type Person = {
  name: string
  email: string
  /** `YYYY-MM-DDTHH:MM:SS.000Z`, UTC. */
  date: string
}

/** The directory of the new objects of a push. Valid until the gate has decided. */
export type Quarantine = { readonly objectDirectory: string; readonly alternateObjectDirectories: string }
export type ReadOptions = { quarantine?: Quarantine }
