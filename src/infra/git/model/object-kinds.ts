/** Which hash names the objects of a repository. */
export type ObjectFormat = 'sha1' | 'sha256'

/** What git stores. */
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'
export type FileMode = '100644' | '100755' | '120000' | '160000'
