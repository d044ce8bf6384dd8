import { type Tx, within } from '../../infra/database/index.ts'
import { createUserRows } from './create.ts'
import type { UserRow } from './tables.ts'

/** The first of `ghost`, `ghost1`, `ghost2` … that nobody has. */
async function freeName(tx: Tx): Promise<string> {
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? 'ghost' : `ghost${number}`
    const user = await tx
      .selectFrom('users')
      .select('id')
      .where((eb) => eb(eb.fn('lower', ['username']), '=', name))
      .executeTakeFirst()
    const route = await tx
      .selectFrom('routes')
      .select('path_key')
      .where(within(tx, 'routes.path_key', [name]))
      .executeTakeFirst()
    if (!user && !route) return name
  }
}

/**
 * The user who stands for everybody whose account was removed; made when first needed (contract 20 R6).
 * @param host of the server, for the address that the account must have
 */
export async function ghostUser(tx: Tx, { now, host }: { now: string; host: string }): Promise<UserRow> {
  const known = await tx.selectFrom('users').selectAll().where('bot_kind', '=', 'ghost').executeTakeFirst()
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
