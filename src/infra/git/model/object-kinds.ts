/** The hash algorithm of a repository's object ids. */
export type ObjectFormat = 'sha1' | 'sha256'

/** The types of git objects. */
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'
export type FileMode = '100644' | '100755' | '120000' | '160000'
