import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { formatSshKey, parseSshKey, type SshKey, sha256Fingerprint } from './format/ssh-key.ts'
export { keyFields, SshKeyObject } from './present.ts'
export {
  acceptedKey,
  keyColumns,
  readNewKey,
  refusal,
  takenFingerprint,
  titleProblems,
  type WantedKey,
} from './rules.ts'
export {
  deleteKeys,
  deleteKeysOf,
  insertKey,
  keyByFingerprint,
  keyById,
  keysByIds,
  noteKeyUse,
  renameKey,
} from './store.ts'
export type { KeyRow } from './tables.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    /** A user has got an SSH key. */
    'key.added': { keyId: number }
    /** A key of a user is about to be deleted: its row is still there. */
    'key.removed': { keyId: number }
  }
}

export const keys: Module = {
  name: 'keys',
  tags: { 'SSH keys': 'SSH keys of users.' },
  operations: Object.values(operations),
}
