import {
  type Actor,
  ApiError,
  answerToOutage,
  contentDisposition,
  failure,
  type Raw,
  requireSignedIn,
} from '../../../api/index.ts'
import { acquireLock, now, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type Answering, serveBytes } from '../../uploads/index.ts'
import { contributions, relationsOf } from '../relations.ts'
import { enqueueExports } from '../running/job.ts'
import { fileNameOf, type Relation } from '../running/relation.ts'
import type { ExportRow } from '../tables.ts'
import { columnsOf, keyOf, lockOf, type Owner } from './portable.ts'
import { presentExport } from './present.ts'
import * as store from './store.ts'

/** An export that has progressed this recently goes on when another one is requested (contract 14, 3.37). */
const activeMs = 10 * 60_000

const notStarted = {
  project: 'Project relations export could not be started.',
  group: 'Group relations export could not be started.',
} as const

/** The relations to be exported anew: those that are not being exported, and with any of them the users. */
function toRestart(relations: readonly Relation[], rows: ReadonlyMap<string, ExportRow>, activeSince: string) {
  const isActive = ({ name }: Relation) => {
    const row = rows.get(name)
    return row?.status === 0 && row.updated_at >= activeSince
  }
  const idle = relations.filter((relation) => !isActive(relation))
  const users = relations.filter(({ name }) => name === contributions)
  return idle.length > 0 ? [...idle.filter(({ name }) => name !== contributions), ...users] : []
}

async function restart(platform: Platform, tx: Tx, owner: Owner, userId: number, batched: boolean): Promise<void> {
  await acquireLock(tx, lockOf(owner))
  const rows = new Map((await store.exportsOf(tx, owner)).map((row) => [row.relation, row]))
  const moment = platform.clock.now()
  const activeSince = new Date(moment.getTime() - activeMs).toISOString()
  const relations = toRestart(relationsOf(owner.kind), rows, activeSince)
  const request = { ticket: randomHex(16), user_id: userId, updated_at: now(platform.clock) }
  const isDivided = ({ batches }: Relation) => batched && batches
  for (const divided of [true, false]) {
    const known = relations.filter((relation) => isDivided(relation) === divided)
    const ids = known.flatMap(({ name }) => rows.get(name)?.id ?? [])
    await store.restartExports(tx, ids, { ...request, batched: divided })
  }
  const missing = relations
    .filter(({ name }) => !rows.has(name))
    .map((relation) => ({ relation: relation.name, batched: isDivided(relation) }))
  await store.insertExports(tx, columnsOf(owner), missing, request)
  const names = new Set(relations.map(({ name }) => name))
  const restarted = (await store.exportsOf(tx, owner)).filter(({ relation }) => names.has(relation))
  const ids = restarted.filter(({ relation }) => relation !== contributions).map(({ id }) => id)
  await enqueueExports(platform, tx, owner, ids, request.ticket)
}

/**
 * Starts the export of all relations of a project or group. Those that are being exported go on (contract 3.37).
 * @throws ApiError 500 when it cannot be stored
 */
export async function startExport(platform: Platform, owner: Owner, actor: Actor, batched: boolean) {
  const { userId } = requireSignedIn(actor)
  try {
    await platform.database.write((tx) => restart(platform, tx, owner, userId, batched))
  } catch (error) {
    if (answerToOutage(error) || error instanceof ApiError) throw error
    platform.log.error({ err: error, ...owner }, 'an export of relations could not be started')
    throw failure(500, notStarted[owner.kind])
  }
  return { message: '202 Accepted' }
}

const exportNotFound = () => failure(404, 'Export not found')

/** The exports of a project or group, or of one relation (contract 3.38). @throws ApiError 404 */
export async function exportStatus({ database: { read } }: Platform, owner: Owner, name: string | undefined) {
  const rows = new Map((await store.exportsOf(read, owner)).map((row) => [row.relation, row]))
  const wanted = relationsOf(owner.kind).filter((relation) => name === undefined || relation.name === name)
  const known = wanted.flatMap((relation) => {
    const row = rows.get(relation.name)
    return row ? [{ relation, row }] : []
  })
  if (name !== undefined && known.length === 0) throw exportNotFound()
  const divided = known.filter(({ row }) => row.batched).map(({ row }) => row.id)
  const files = Map.groupBy(await store.filesOf(read, divided), ({ export_id }) => export_id)
  return known.map(({ relation, row }) => presentExport(relation, row, files.get(row.id) ?? []))
}

/**
 * The file of an export, or of one of its batches (contract 3.39).
 * @param batch undefined for an export without batches
 * @throws ApiError 400, 404, 416
 */
export async function downloadExport(
  platform: Platform,
  answering: Answering,
  owner: Owner,
  relation: Relation,
  batch: number | undefined,
): Promise<Raw> {
  const { read } = platform.database
  const row = await store.exportOf(read, owner, relation.name)
  if (!row) throw exportNotFound()
  if (batch !== undefined && !row.batched) throw failure(400, 'Export is not batched')
  if (batch === undefined && row.batched) throw failure(400, 'Export is batched')
  const number = batch ?? 0
  const isNumber = Number.isSafeInteger(number) && number <= largestNumber && (batch === undefined || number > 0)
  const file = isNumber ? await store.fileOf(read, row.id, number) : null
  if (batch !== undefined && !file) throw failure(404, 'Batch not found')
  if (!file || row.status !== 1 || row.run === null) {
    throw failure(404, batch === undefined ? 'Export file not found' : 'Batch file not found')
  }
  const { size_bytes: sizeBytes, sha256 } = file
  return serveBytes(
    platform,
    answering,
    { sizeBytes, sha256, key: keyOf(owner, row.run, number) },
    {
      'Content-Type': 'application/gzip',
      'Content-Disposition': contentDisposition('attachment', fileNameOf(relation)),
      'X-Content-Type-Options': 'nosniff',
    },
  )
}

/** Of the column `number`. */
const largestNumber = 2 ** 31 - 1
