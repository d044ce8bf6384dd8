import { isObject } from '../../../infra/json/index.ts'
import { importMember } from '../../members/index.ts'
import type { ReadLine } from '../../transfer-archives/index.ts'
import { atSource } from '../source/index.ts'
import { countOf, type Item, textOf } from '../source/values.ts'
import { repeatFailures } from './ending.ts'
import { sourceIdOf } from './exports.ts'
import { pagesOf } from './lists.ts'
import { type ImportingEntity, importLinesOf, newRelation } from './relations.ts'
import { advance, type Running } from './running.ts'
import * as store from './store.ts'

const relation = 'members'

/** The address that an object of a user shows; undefined where it shows none. */
const addressIn = (user: Item): string | undefined =>
  [textOf(user, 'email'), textOf(user, 'public_email')].find((address) => address !== undefined && address !== '')

/** The address of a user that the source shows to the token; undefined where it shows none. */
async function addressOf({ source }: Running, id: number): Promise<string | undefined> {
  const { status, body } = await source.ask(atSource.user, { id })
  return status === 200 && isObject(body) && countOf(body, 'id') === id ? addressIn(body) : undefined
}

/** A member as archives have them; null for what is none. */
async function memberLine(running: Running, item: Item): Promise<Item | null> {
  const id = countOf(item, 'id')
  if (id === undefined) return null
  const { access_level, expires_at, created_at } = item
  const email = addressIn(item) ?? (await addressOf(running, id))
  // Members are matched by their addresses alone (contract 25, 9).
  const user = { id, name: textOf(item, 'name') ?? null, public_email: email ?? null, username: null }
  return { user_id: id, access_level, expires_at, created_at, user }
}

/** The direct members of the entity at the source. @throws SourceFailed, SourceRefused, EntityFailed */
export async function readMembers(running: Running): Promise<ReadLine[]> {
  const { entity } = running
  const lines: ReadLine[] = []
  for await (const { items } of pagesOf(running, atSource[entity.entity_type].members, { id: sourceIdOf(running) })) {
    for (const item of items) {
      const line = await memberLine(running, item)
      if (line) lines.push({ number: lines.length + 1, bytes: 0, line })
    }
  }
  return lines
}

/** Imports the members of an entity. Those who are not found are left out. */
export async function importMembers(importing: ImportingEntity, members: readonly ReadLine[]): Promise<void> {
  const { running, importId } = importing
  const { platform, entity } = running
  const stored = (await store.relationsOf(platform.database.read, entity.id)).get(relation)
  if (stored?.is_complete) return
  if (!stored) await advance(running, (tx) => store.putRelation(tx, newRelation(entity.id, relation, members.length)))
  async function* lines() {
    yield* members
  }
  const read = await importLinesOf(importing, relation, 1, lines(), importMember)
  await advance(running, async (tx) => {
    await store.finishBatch(tx, entity.id, relation, { batches: 1, read })
    await store.completeRelation(tx, entity.id, relation)
    await repeatFailures(platform, tx, entity, importId)
  })
}
