import {
  type Actor,
  failure,
  forms,
  oneOf,
  onlyIn,
  type ParamValues,
  refuse,
  requireSignedIn,
  type Static,
  Type,
  t,
  takenIn,
} from '../../../api/index.ts'
import { now, type Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { confirmedAddressesOf, requireUser } from '../../users/index.ts'
import type { NotificationSettingRow } from '../tables.ts'
import {
  type EventChoices,
  type Level,
  levelNumber,
  levels,
  type NotificationEvent,
  notificationEvents,
  ownLevels,
  withDefaults,
} from './levels.ts'
import { heldSetting, levelsFor, type Place, settingAt, updateSetting } from './store.ts'

const inUltimate = { tier: 'ultimate' } as const

const forEach = <T>(make: (event: NotificationEvent) => T) =>
  Object.fromEntries(notificationEvents.map((event) => [event, make(event)])) as Record<NotificationEvent, T>

const eventParam = t.boolean({ description: 'Counts at the level `custom`.' })

/** What a setting is changed to; what is absent stays. */
export const settingParams = {
  level: t.string({ description: `One of: ${levels.join(', ')}` }),
  ...forEach(() => eventParam),
  new_epic: takenIn(inUltimate, eventParam),
}

/** The parameters of the setting for everything. */
export const ownParams = {
  ...settingParams,
  notification_email: t.string({
    description: 'Where mails go: one of your confirmed addresses; empty text: the primary one.',
  }),
}

type Changes = ParamValues<typeof ownParams>

const shown = {
  level: oneOf(levels),
  events: Type.Optional(
    Type.Object({ ...forEach(() => Type.Boolean()), new_epic: onlyIn(inUltimate, Type.Boolean()) } as const),
  ),
}

/** A setting for a project or group (contract 25, section 5). */
export const NotificationSetting = Type.Object(shown, { title: 'NotificationSetting' })

/** The setting for everything. */
export const OwnNotificationSetting = Type.Object(
  { ...shown, notification_email: forms.nullableString },
  { title: 'OwnNotificationSetting' },
)

/** The level of a place for which nothing was set. */
const defaultLevel = ({ kind }: Place): Level => (kind === 'own' ? 'participating' : 'global')

type Setting = Pick<NotificationSettingRow, 'level' | 'events' | 'notification_email'>

const unset = (place: Place): Setting => ({ level: defaultLevel(place), events: {}, notification_email: null })

const present = ({ level, events }: Setting): Static<typeof NotificationSetting> => ({
  level,
  ...(level === 'custom' && { events: withDefaults(events) }),
})

/** Where mails to a user go: the address that they chose while it is confirmed, else the primary one. */
export async function addressOf(db: Reader, userId: number, chosen: string | null): Promise<string> {
  const user = await requireUser(db, userId)
  if (chosen === null) return user.email
  const confirmed = await confirmedAddressesOf(db, userId)
  return confirmed.includes(chosen.toLowerCase()) ? chosen : user.email
}

async function presentOwn(
  db: Reader,
  userId: number,
  setting: Setting,
): Promise<Static<typeof OwnNotificationSetting>> {
  return { ...present(setting), notification_email: await addressOf(db, userId, setting.notification_email) }
}

async function find(db: Reader, userId: number, place: Place): Promise<Setting> {
  return (await settingAt(db, userId, place)) ?? unset(place)
}

/** The caller's setting for a project or group (contract 25, x.project_notification_get). */
export async function getSetting({ database }: Platform, actor: Actor, place: Place) {
  return present(await find(database.read, requireSignedIn(actor).userId, place))
}

/** The caller's setting for everything (contract 25, x.notification_get). */
export async function getOwnSetting({ database }: Platform, actor: Actor) {
  const { userId } = requireSignedIn(actor)
  return presentOwn(database.read, userId, await find(database.read, userId, { kind: 'own' }))
}

/** @throws ApiError 400 for a level that the place cannot have */
function requireLevel(text: string, place: Place): Level {
  const possible: readonly Level[] = place.kind === 'own' ? ownLevels : levels
  const level = possible.find((one) => one === text)
  if (level === undefined) throw failure(400, `'${text}' is not a valid level`)
  return level
}

const chosenEvents = (changes: Changes): EventChoices =>
  Object.fromEntries(
    notificationEvents.flatMap((event) => (changes[event] === undefined ? [] : [[event, changes[event]]])),
  )

async function change(platform: Platform, userId: number, place: Place, changes: Changes): Promise<Setting> {
  const { level, notification_email: email } = changes
  const wanted = level === undefined ? undefined : requireLevel(level, place)
  const chosen = chosenEvents(changes)
  return platform.database.write(async (tx) => {
    const isOwned = !email || (await confirmedAddressesOf(tx, userId)).includes(email.toLowerCase())
    refuse({ notification_email: isOwned ? [] : ['is not an email you own'] })
    const times = { level: defaultLevel(place), at: now(platform.clock) }
    const held = await heldSetting(tx, userId, place, times)
    return updateSetting(tx, held.id, {
      level: wanted ?? held.level,
      events: JSON.stringify({ ...held.events, ...chosen }),
      notification_email: email === undefined ? held.notification_email : email || null,
    })
  })
}

/** Changes the caller's setting for a project or group (contract 25, x.project_notification_update). @throws ApiError 400 */
export async function changeSetting(platform: Platform, actor: Actor, place: Place, changes: Changes) {
  const { notification_email: _, ...rest } = changes
  return present(await change(platform, requireSignedIn(actor).userId, place, rest))
}

/** Changes the caller's setting for everything (contract 25, x.notification_update). @throws ApiError 400 */
export async function changeOwnSetting(platform: Platform, actor: Actor, changes: Changes) {
  const { userId } = requireSignedIn(actor)
  const setting = await change(platform, userId, { kind: 'own' }, changes)
  return presentOwn(platform.database.read, userId, setting)
}

/** The levels of a caller for places, as `notification_level` of projects has them; places without a setting are absent. */
export async function levelNumbers(
  { database }: Platform,
  actor: Actor,
  kind: 'project' | 'group',
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (actor.kind !== 'user' || ids.length === 0) return new Map()
  const found = await levelsFor(database.read, actor.userId, kind, ids)
  return new Map([...found].map(([id, level]) => [id, levelNumber(level)]))
}

/** Ends all mails of a project to a user, as they have asked by the link of one. */
export async function disableProject(platform: Platform, userId: number, projectId: number): Promise<void> {
  await change(platform, userId, { kind: 'project', id: projectId }, { level: 'disabled' })
}
