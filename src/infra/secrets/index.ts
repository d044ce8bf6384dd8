export { loadInstanceKey, readInstanceKey } from './instance-key.ts'
export { deriveKey, keyIdOf } from './keys.ts'
export {
  decoyVerify,
  hashPassword,
  PasswordQueueFull,
  verifyPassword,
} from './passwords.ts'
export { createPrivateFile } from './private-file.ts'
export { openSealer, SealError, type Sealer } from './sealer.ts'
export { hashToken, randomHex, randomToken, safeEqual } from './tokens.ts'
