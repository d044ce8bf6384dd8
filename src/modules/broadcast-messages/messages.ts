import {
  invalid,
  type Page,
  type PageRequest,
  parameterError,
  recordNotFound,
  type Unmodified,
} from '../../api/index.ts'
import { claim, jsonText, now } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { type MessageChanges, type MessageFilter, type NewMessage, targetLevels } from './params.ts'
import { BroadcastMessage, type PresentedMessage } from './present.ts'
import * as store from './store.ts'
import type { BroadcastMessageChanges } from './tables.ts'

const longestMessage = 1024 * 1024
const hourMs = 3_600_000
const defaultFont = '#FFFFFF'
const color = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Reads roles, each once. @throws ApiError 400, form B */
function levelsOf(given: readonly string[]): number[] {
  const known = new Map(targetLevels.map((level) => [String(level), level]))
  const levels = given.filter((text) => text.trim() !== '').map((text) => known.get(text.trim()))
  if (levels.includes(undefined)) throw parameterError('target_access_levels', 'does not have a valid value')
  return [...new Set(levels as number[])]
}

/** Validates text and color. @throws ApiError 400, form C */
function requireValid({ message, font }: MessageChanges): void {
  const problems: Record<string, string[]> = {}
  if (message !== undefined && message.trim() === '') problems.message = ["can't be blank"]
  if (message !== undefined && [...message].length > longestMessage) {
    problems.message = [`is too long (maximum is ${longestMessage} characters)`]
  }
  if (font && !color.test(font)) problems.font = ['must be a valid color code']
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** The columns of the given parameters. @throws ApiError 400 */
function changesOf(given: MessageChanges): BroadcastMessageChanges {
  const { target_access_levels: levels, font, ...others } = given
  const targets = levels === undefined ? {} : { target_access_levels: jsonText(levelsOf(levels)) }
  requireValid(given)
  return { ...others, ...targets, ...(font === undefined ? {} : { font: font || defaultFont }) }
}

/** A page of the messages, also past and future ones without a filter (contract 2.28). */
export async function listMessages(
  { database, clock }: Platform,
  { active }: MessageFilter,
  page: PageRequest,
): Promise<Page<PresentedMessage>> {
  const moment = now(clock)
  const found = await store.pageOfMessages(database.read, active === undefined ? null : { active, moment }, page)
  return { ...found, items: found.items.map((row) => BroadcastMessage.present(row, moment)) }
}

/** One message (contract 2.29). @throws ApiError 404 */
export async function getMessage({ database, clock }: Platform, id: number): Promise<PresentedMessage> {
  const row = await store.messageById(database.read, id)
  if (!row) throw recordNotFound()
  return BroadcastMessage.present(row, now(clock))
}

/** Creates a message (contract 2.30). @throws ApiError 400 */
export async function createMessage(
  { database, clock }: Platform,
  given: NewMessage,
  act: Act,
): Promise<PresentedMessage> {
  const moment = now(clock)
  const inAnHour = new Date(clock.now().getTime() + hourMs).toISOString()
  const row = await database.write(async (tx) => {
    const added = await store.insertMessage(tx, {
      ...{ starts_at: moment, ends_at: inAnHour, font: defaultFont, target_access_levels: '[]', target_path: null },
      ...{ broadcast_type: 'banner', theme: 'indigo', dismissable: false },
      ...changesOf(given),
      message: given.message,
      ...{ created_at: moment, updated_at: moment },
    })
    await act(tx, added.id)
    return added
  })
  return BroadcastMessage.present(row, moment)
}

/** Changes the given members of a message (contract 2.31). @throws ApiError 400, 404 */
export async function updateMessage({ database, clock }: Platform, id: number, given: MessageChanges, act: Act) {
  const moment = now(clock)
  const row = await database.write(async (tx) => {
    if (!(await store.messageById(tx, id))) throw recordNotFound()
    await act(tx, id)
    return store.updateMessage(tx, id, { ...changesOf(given), updated_at: moment })
  })
  if (!row) throw recordNotFound()
  return BroadcastMessage.present(row, moment)
}

/** Deletes a message (contract 2.32). @throws ApiError 404; 412 by `unmodified` */
export async function deleteMessage(
  { database }: Platform,
  id: number,
  unmodified: Unmodified,
  act: Act,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'broadcast_messages', () => store.messageById(tx, id))
    if (!row) throw recordNotFound()
    unmodified(row.updated_at)
    await store.deleteMessage(tx, id)
    await act(tx, id)
  })
}
