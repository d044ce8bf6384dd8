import type { Tx } from '../../infra/database/index.ts'
import { findRoute } from '../namespaces/index.ts'
import { createUserRows } from './create.ts'
import { anyUserHasName, userOfBotKind } from './store/users.ts'
import type { UserRow } from './tables.ts'

/** The first of `ghost`, `ghost1`, `ghost2` … that nobody has. */
async function freeName(tx: Tx): Promise<string> {
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? 'ghost' : `ghost${number}`
    const isTaken = await anyUserHasName(tx, name)
    const route = await findRoute(tx, name)
    if (!isTaken && !route) return name
  }
}

/**
 * The user who stands for everybody whose account was removed; made when first needed (contract 20 R6).
 * @param host of the server, for the address that the account must have
 */
export async function ghostUser(tx: Tx, { now, host }: { now: string; host: string }): Promise<UserRow> {
  const known = await userOfBotKind(tx, 'ghost')
  if (known) return known
  const username = await freeName(tx)
  return createUserRows(tx, {
    username,
    name: 'Ghost User',
    email: `${username}@noreply.${host}`,
    botKind: 'ghost',
    profile: {
      bio: 'This is a "Ghost User", created to hold all issues authored by users that have since been deleted.',
    },
    confirmedAt: now,
    projectsLimit: 0,
    canCreateGroup: false,
    now,
  })
}
