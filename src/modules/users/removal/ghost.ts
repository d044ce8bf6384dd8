import type { Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { internalUserId } from '../accounts/internal-users.ts'

/** The id of the user to whom contributions of removed users move; creates it when there is none (contract 20 R6). */
export function ghostUserId(platform: Platform, tx: Tx): Promise<number> {
  return internalUserId(platform, tx, {
    kind: 'ghost',
    username: 'ghost',
    name: 'Ghost User',
    bio: 'This is a "Ghost User", created to hold all issues authored by users that have since been deleted.',
  })
}
