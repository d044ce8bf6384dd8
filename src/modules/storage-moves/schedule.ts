import { type ApiError, invalid, notFound, notIncluded } from '../../api/index.ts'
import { isUniqueViolation, now, type Tx } from '../../infra/database/index.ts'
import { type Act, enqueue, type Platform } from '../../platform/index.ts'
import {
  claimReadOnly,
  holdRepositories,
  type RepositoryRow,
  repositoriesOfOwner,
} from '../../platform/repositories/index.ts'
import { chooseStorage } from '../projects/index.ts'
import { type MoveKind, projectMoves } from './kinds.ts'
import { moveJob, orderKeyOf } from './move.ts'
import { insertMove } from './store.ts'
import type { MoveRow } from './tables.ts'

type Wanted = {
  /** Default: by weight. */
  destination?: string | undefined
  /** The move is scheduled only if the container is in this storage. */
  source?: string
  /** The record of an administrator's request. */
  act?: Act
}

/** @throws ApiError 400 for a storage that is not configured */
function requireStorage({ config }: Platform, name: string | undefined): void {
  if (name === undefined || Object.hasOwn(config.storages, name)) return
  throw invalid({ destination_storage_name: [notIncluded] })
}

/** A storage by weight; the source only if no other one has a weight (contract 10, "Choosing the destination"). */
async function chooseDestination({ settings, random }: Platform, source: string): Promise<string> {
  const { repository_storages_weighted: weights } = await settings.current()
  const others = Object.entries(weights).filter(([name, weight]) => name !== source && weight > 0)
  return chooseStorage(others.length > 0 ? Object.fromEntries(others) : weights, random())
}

const isReadOnly = ({ name }: MoveKind): ApiError => invalid({ [name]: ['is read-only'] })
const alreadyReadOnly = ({ name }: MoveKind): ApiError => invalid({ [name]: ['Repository already read-only'] })

const nouns = { project: 'Project', snippet: 'Snippet', group: 'Group' } as const

const mainOf = (kind: MoveKind, rows: readonly RepositoryRow[]) => rows.find((row) => row.kind === kind.main.kind)

/**
 * Schedules a move in the caller's transaction: the container is read-only from its commit on.
 * @returns null when the container is not in the wanted source
 * @throws ApiError 400 when another move was faster; 404
 */
async function scheduleIn(
  platform: Platform,
  tx: Tx,
  kind: MoveKind,
  containerId: number,
  { destination, source: wantedSource, act }: Wanted,
): Promise<MoveRow | null> {
  const rows = await holdRepositories(tx, kind.ownerOf(containerId))
  const source = mainOf(kind, rows)?.storage
  if (source === undefined) throw notFound(nouns[kind.name])
  if (wantedSource !== undefined && source !== wantedSource) return null
  if (await kind.isBusy?.(tx, containerId)) throw isReadOnly(kind)
  if (
    !(await claimReadOnly(
      tx,
      rows.map(({ id }) => id),
    ))
  )
    throw alreadyReadOnly(kind)
  const move = await insertMove(tx, kind, {
    container_id: containerId,
    source_storage_name: source,
    destination_storage_name: destination ?? (await chooseDestination(platform, source)),
    created_at: now(platform.clock),
  })
  const sources = rows.map(({ storage, disk_path }) => ({ storage, disk_path }))
  const payload = { kind: kind.name, moveId: move.id, destination: move.destination_storage_name, sources }
  await enqueue(platform, tx, moveJob, payload, { orderKey: orderKeyOf(kind, containerId) })
  await act?.(tx, move.id)
  return move
}

/**
 * Schedules the move of a container (contract 10, 3.16).
 * @throws ApiError 400 for an unknown storage, and while another move is scheduled or running
 */
export async function scheduleMove(
  platform: Platform,
  kind: MoveKind,
  containerId: number,
  wanted: Wanted,
): Promise<MoveRow | null> {
  const { database } = platform
  requireStorage(platform, wanted.destination)
  await kind.prepare?.(platform, containerId)
  const rows = await repositoriesOfOwner(database.read, kind.ownerOf(containerId))
  if (rows.some((row) => row.read_only)) throw isReadOnly(kind)
  return database
    .write((tx) => scheduleIn(platform, tx, kind, containerId, wanted))
    .catch((error) => {
      throw isUniqueViolation(error) ? alreadyReadOnly(kind) : error
    })
}

/** Schedules the move of a project that is changed in the same transaction (contract 10, `PUT /projects/:id`). */
export async function moveProjectTo(platform: Platform, tx: Tx, projectId: number, destination: string): Promise<void> {
  const rows = await repositoriesOfOwner(tx, projectMoves.ownerOf(projectId))
  if (rows.some((row) => row.read_only)) throw isReadOnly(projectMoves)
  await scheduleIn(platform, tx, projectMoves, projectId, { destination })
}
