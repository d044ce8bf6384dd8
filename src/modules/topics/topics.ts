import {
  blank,
  failure,
  lengthProblems,
  type Page,
  type PageRequest,
  type Problems,
  recordNotFound,
  refuse,
  type Unmodified,
} from '../../api/index.ts'
import { acquireLock, isUniqueViolation, now, type Reader, type Tx } from '../../infra/database/index.ts'
import { type Act, type Platform, react } from '../../platform/index.ts'
import { avatarCheck, avatarSweep, putAvatar, readAvatar, removeAvatar, removeAvatars } from '../users/index.ts'
import type { NewTopicParams, TopicChangeParams, TopicFilter } from './params.ts'
import { organizationId, type PresentedTopic, Topic } from './present.ts'
import * as store from './store.ts'
import type { TopicRow } from './tables.ts'

const longestName = 255
const longestDescription = 1024

const textProblems = (text: string) => (text.trim() === '' ? [blank] : lengthProblems(text, longestName))

/** Checks the texts that are given. @returns the columns for them @throws ApiError 400, form C */
function columnsOf({ name, title, description }: TopicChangeParams) {
  const problems: Problems = {
    name: name === undefined ? [] : textProblems(name),
    title: title === undefined ? [] : textProblems(title),
    description: lengthProblems(description ?? '', longestDescription),
  }
  refuse(problems)
  return {
    ...(name !== undefined && { name: name.trim(), folded_name: store.foldedName(name.trim()) }),
    ...(title !== undefined && { title: title.trim() }),
    ...(description !== undefined && { description }),
  }
}

/** @throws ApiError 400 for a name that another topic has; any other error unchanged */
function refuseTaken(error: unknown): never {
  if (isUniqueViolation(error)) refuse({ name: ['has already been taken'] })
  throw error
}

async function requireTopic(db: Reader, id: number): Promise<TopicRow> {
  const row = await store.topicById(db, id)
  if (!row) throw recordNotFound()
  return row
}

/** A page of topics (contract 21, x.topics_list). */
export async function listTopics(
  platform: Platform,
  { organization_id: organization, ...filter }: TopicFilter,
  page: PageRequest,
): Promise<Page<PresentedTopic>> {
  const isElsewhere = organization !== undefined && organization !== organizationId
  const found = await store.pageOfTopics(platform.database.read, { ...filter, isElsewhere }, page)
  return { ...found, items: found.items.map((row) => Topic.present(row, platform)) }
}

/** One topic (contract 21, x.topics_get). @throws ApiError 404 */
export async function getTopic(platform: Platform, id: number): Promise<PresentedTopic> {
  return Topic.present(await requireTopic(platform.database.read, id), platform)
}

/** Stores the picture of a topic, removes the previous one, and names it in the row. */
async function setAvatar(platform: Platform, row: TopicRow, given: NewTopicParams['avatar']): Promise<TopicRow> {
  if (given === undefined) return row
  const picture = given === '' ? null : await readAvatar(given)
  if (picture) await putAvatar(platform, 'topic', row.id, picture)
  const avatar = picture?.name ?? null
  const changed = await platform.database.write((tx) => store.updateTopic(tx, row.id, { avatar }))
  await removeAvatar(platform, 'topic', row.id, changed ? row.avatar : avatar)
  if (!changed) throw recordNotFound()
  return changed
}

/** Creates a topic (contract 21, x.topics_create). @throws ApiError 400, form C */
export async function createTopic(platform: Platform, params: NewTopicParams, act: Act): Promise<PresentedTopic> {
  const { database, clock } = platform
  const { name, title, description = null } = params
  if (params.avatar) await readAvatar(params.avatar)
  const columns = columnsOf({ name, title, ...(description !== null && { description }) })
  const at = now(clock)
  const row = await database
    .write(async (tx) => {
      const added = await store.insertTopic(tx, {
        ...columns,
        ...{ name: name.trim(), folded_name: store.foldedName(name.trim()), title: title.trim() },
        ...{ created_at: at, updated_at: at },
      })
      await act(tx, added.id)
      return added
    })
    .catch(refuseTaken)
  return Topic.present(await setAvatar(platform, row, params.avatar || undefined), platform)
}

/** Changes what is given of a topic (contract 21, x.topics_update). @throws ApiError 400, form C; 404 */
export async function changeTopic(
  platform: Platform,
  id: number,
  params: TopicChangeParams,
  act: Act,
): Promise<PresentedTopic> {
  const { database, clock } = platform
  if (params.avatar) await readAvatar(params.avatar)
  await requireTopic(database.read, id)
  const columns = columnsOf(params)
  const row = await database
    .write(async (tx) => {
      const changed = await store.updateTopic(tx, id, { ...columns, updated_at: now(clock) })
      if (changed) await act(tx, id)
      return changed
    })
    .catch(refuseTaken)
  if (!row) throw recordNotFound()
  return Topic.present(await setAvatar(platform, row, params.avatar), platform)
}

/** Serialises what ends topics: of two that are merged into each other one stays. */
const lockTopics = (tx: Tx) => acquireLock(tx, 'topics')

/** Deletes a topic; its projects lose it (contract 21, x.topics_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteTopic(platform: Platform, id: number, unmodified: Unmodified, act: Act): Promise<void> {
  await platform.database.write(async (tx) => {
    await lockTopics(tx)
    unmodified((await requireTopic(tx, id)).updated_at)
    await store.deleteTopic(tx, id)
    await act(tx, id)
  })
  await removeAvatars(platform, 'topic', id)
}

/**
 * Gives the projects of one topic another one, and deletes the first (contract 21, x.topics_merge).
 * @throws ApiError 400 when both are the same; 404
 */
export async function mergeTopics(
  platform: Platform,
  sourceId: number,
  targetId: number,
  act: Act,
): Promise<PresentedTopic> {
  const { database } = platform
  if (sourceId === targetId) throw failure(400, 'The source topic and the target topic are identical.')
  const target = await database.write(async (tx) => {
    await lockTopics(tx)
    await requireTopic(tx, sourceId)
    await requireTopic(tx, targetId)
    await react(platform, tx, 'topics.merging', { sourceId, targetId })
    await store.deleteTopic(tx, sourceId)
    await act(tx, `${sourceId} into ${targetId}`)
    return requireTopic(tx, targetId)
  })
  await removeAvatars(platform, 'topic', sourceId)
  return Topic.present(target, platform)
}

/** The check that the picture of each topic is stored. */
export const topicAvatarCheck = avatarCheck('topic', store.topicsWithAvatar)

/** Removes pictures that no topic has. */
export const sweepTopicAvatars = avatarSweep('topic', store.topicsWithAvatar)
