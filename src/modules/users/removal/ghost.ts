import { now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { findRoute } from '../../namespaces/index.ts'
import { createUserRows } from '../accounts/rows.ts'
import { anyUserHasName, userOfBotKind } from '../store.ts'

/** The first free username of `ghost`, `ghost1`, `ghost2` …. */
async function freeName(tx: Tx): Promise<string> {
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? 'ghost' : `ghost${number}`
    const isTaken = await anyUserHasName(tx, name)
    const route = await findRoute(tx, name)
    if (!isTaken && !route) return name
  }
}

/** The id of the user to whom contributions of removed users move; creates it when there is none (contract 20 R6). */
export async function ghostUserId({ clock, externalUrl }: Platform, tx: Tx): Promise<number> {
  const existing = await userOfBotKind(tx, 'ghost')
  if (existing) return existing.id
  const username = await freeName(tx)
  const moment = now(clock)
  const { id } = await createUserRows(tx, {
    username,
    name: 'Ghost User',
    email: `${username}@noreply.${new URL(externalUrl).hostname}`,
    bot_kind: 'ghost',
    profile: {
      bio: 'This is a "Ghost User", created to hold all issues authored by users that have since been deleted.',
    },
    confirmed_at: moment,
    projects_limit: 0,
    can_create_group: false,
    created_at: moment,
  })
  return id
}
