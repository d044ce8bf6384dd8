import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export { deleteGpgKeysOf } from './store.ts'
export { verifyCommit } from './verification.ts'

export const gpgKeys: Module = {
  name: 'gpg-keys',
  tags: { 'GPG keys': 'OpenPGP keys of users, by which signatures of commits are verified.' },
  operations: Object.values(operations),
}
