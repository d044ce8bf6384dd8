export { createKeys, type KeyNeeds, type Keys } from './keys.ts'
export { keyOperations } from './operations.ts'
export {
  defaultKeyPolicy,
  expiryProblems,
  type KeyPolicy,
  type KeyProblem,
  readKey,
  refusal,
  takenFingerprint,
  titleProblems,
} from './rules.ts'
export { formatSshKey, type KeyType, md5Fingerprint, parseSshKey, type SshKey, sha256Fingerprint } from './ssh-key.ts'
export { keyByFingerprint, keyByMd5Fingerprint } from './store.ts'
export type { KeyRow, UsageType } from './tables.ts'
