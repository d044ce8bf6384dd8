import { acquireLock, now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { findRoute } from '../../namespaces/index.ts'
import { anyUserHasName, userOfBotKind } from '../store.ts'
import type { BotKind } from '../tables.ts'
import { createUserRows } from './rows.ts'

/** A user of the server itself: one of each kind, without a password. */
type InternalUser = { kind: BotKind; username: string; name: string; bio: string }

const alertBot: InternalUser = {
  kind: 'alert_bot',
  username: 'alert-bot',
  name: 'Alert Bot',
  bio: 'Records what alerts of monitoring tools cause.',
}

const automationBot: InternalUser = {
  kind: 'automation_bot',
  username: 'automation-bot',
  name: 'Automation Bot',
  bio: 'Carries out what the server does by itself, such as moving issues to the next iteration.',
}

/** The first free username of `name`, `name1`, `name2` …. */
async function freeName(tx: Tx, wanted: string): Promise<string> {
  for (let number = 0; ; number += 1) {
    const name = number === 0 ? wanted : `${wanted}${number}`
    const isTaken = await anyUserHasName(tx, name)
    const route = await findRoute(tx, name)
    if (!isTaken && !route) return name
  }
}

/** The id of an internal user; creates it when there is none. */
export async function internalUserId(
  { clock, externalUrl }: Platform,
  tx: Tx,
  { kind, username: wanted, name, bio }: InternalUser,
): Promise<number> {
  const existing = await userOfBotKind(tx, kind)
  if (existing) return existing.id
  await acquireLock(tx, `internal_user:${kind}`)
  const madeMeanwhile = await userOfBotKind(tx, kind)
  if (madeMeanwhile) return madeMeanwhile.id
  const username = await freeName(tx, wanted)
  const moment = now(clock)
  const { id } = await createUserRows(tx, {
    username,
    name,
    email: `${username}@noreply.${new URL(externalUrl).hostname}`,
    bot_kind: kind,
    profile: { bio },
    confirmed_at: moment,
    projects_limit: 0,
    can_create_group: false,
    created_at: moment,
  })
  return id
}

/** The id of the user who records what alerts cause (contract 07, Rules: `alert-bot`). */
export function alertBotId(platform: Platform, tx: Tx): Promise<number> {
  return internalUserId(platform, tx, alertBot)
}

/** The id of the user in whose name the server changes issues by itself (contract 17, "Rules"); creates it when there is none. */
export function automationUserId(platform: Platform, tx: Tx): Promise<number> {
  return internalUserId(platform, tx, automationBot)
}

/** The id of the user to whom contributions of removed users move; creates it when there is none (contract 20 R6). */
export function ghostUserId(platform: Platform, tx: Tx): Promise<number> {
  return internalUserId(platform, tx, {
    kind: 'ghost',
    username: 'ghost',
    name: 'Ghost User',
    bio: 'This is a "Ghost User", created to hold all issues authored by users that have since been deleted.',
  })
}
