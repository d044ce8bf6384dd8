export { createKeys, type KeyNeeds, type Keys } from './keys.ts'
export { createKeyLookup, type KeyLookup, type KeyLookupNeeds } from './lookup.ts'
export { keyLookupOperations, keyOperations } from './operations.ts'
export { keyMembers, presentKey, SshKeyObject } from './present.ts'
export {
  defaultKeyPolicy,
  expiryProblems,
  type KeyPolicy,
  type KeyProblem,
  readKey,
  refusal,
  takenFingerprint,
  titleProblems,
  type WantedKey,
} from './rules.ts'
export { formatSshKey, type KeyType, md5Fingerprint, parseSshKey, type SshKey, sha256Fingerprint } from './ssh-key.ts'
export { insertKey, keyByFingerprint, keyById, keyByMd5Fingerprint, noteKeyUse } from './store.ts'
export type { KeyRow, UsageType } from './tables.ts'
