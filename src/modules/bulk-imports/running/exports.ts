import { now } from '../../../infra/database/index.ts'
import { isObject } from '../../../infra/json/index.ts'
import { atSource, SourceRefused } from '../source/index.ts'
import { countOf, textOf } from '../source/values.ts'
import { EntityFailed, NotReady, type Running } from './running.ts'
import * as store from './store.ts'

/** A relation that the source has exported. */
export type Exported = {
  relation: string
  isFailed: boolean
  error: string | undefined
  objects: number
  /** Null for a relation that is not divided. */
  batches: number | null
}

/** Exports whose files are gone are asked for again after this time: a source keeps them for a day. */
const againMs = 3_600_000

const mostRelations = 1_000
const mostBatches = 100_000

/** @throws SourceRefused, unless the source has accepted */
function requireSuccess(status: number): void {
  if (status < 200 || status > 299) throw new SourceRefused(status)
}

/** The id of the entity at the source. */
export function sourceIdOf({ entity }: Running): number {
  if (entity.source_id === null) throw new EntityFailed('The source does not say the id')
  return entity.source_id
}

/** Asks the source for its exports once. @returns the run with the time at which it was asked @throws SourceRefused, SourceFailed */
export async function askForExports(running: Running): Promise<Running> {
  const { platform, source, entity } = running
  if (entity.exports_asked_at !== null) return running
  const { status } = await source.ask(atSource[entity.entity_type].start, { id: sourceIdOf(running), batched: true })
  requireSuccess(status)
  const exports_asked_at = now(platform.clock)
  await platform.database.write((tx) => store.changeEntity(tx, entity.id, { exports_asked_at }))
  return { ...running, entity: { ...entity, exports_asked_at } }
}

/** Has the exports asked for again, since their files are gone. @throws NotReady, or EntityFailed soon after they were asked for */
export async function askAgain({ platform, entity }: Running): Promise<never> {
  const sinceMs = platform.clock.now().getTime() - Date.parse(entity.exports_asked_at ?? entity.created_at)
  if (sinceMs < againMs) throw new EntityFailed('The source does not have the files that it has exported')
  await platform.database.write((tx) => store.changeEntity(tx, entity.id, { exports_asked_at: null }))
  throw new NotReady()
}

function exportedOf(value: unknown): Exported | null {
  if (!isObject(value)) return null
  const relation = textOf(value, 'relation')
  if (relation === undefined || relation.length > 255) return null
  const { status, batched } = value
  // What waits, and what is being exported.
  if (status !== 1 && status !== -1) throw new NotReady()
  const batches = batched === true ? (countOf(value, 'batches_count') ?? 0) : null
  if (batches !== null && batches > mostBatches)
    throw new EntityFailed(`The source names too many batches of ${relation}`)
  const error = textOf(value, 'error')
  return { relation, isFailed: status === -1, error, objects: countOf(value, 'total_objects_count') ?? 0, batches }
}

/**
 * The relations of the entity as the source has exported them, once it has exported all.
 * @throws NotReady before, EntityFailed for what is no status, SourceRefused
 */
export async function finishedExports(running: Running): Promise<Map<string, Exported>> {
  const { source, entity } = running
  const { status, body } = await source.ask(atSource[entity.entity_type].status, { id: sourceIdOf(running) })
  requireSuccess(status)
  if (!Array.isArray(body) || body.length > mostRelations) {
    throw new EntityFailed('The source does not say the status of its exports')
  }
  const exported = body.flatMap((value) => exportedOf(value) ?? [])
  if (exported.length === 0) throw new NotReady()
  return new Map(exported.map((one) => [one.relation, one]))
}
