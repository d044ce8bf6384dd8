import { type Page, type PageRequest, recordNotFound } from '../../api/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import type { MoveKind } from './kinds.ts'
import { scheduleMove } from './schedule.ts'
import { moveById, pageOfMoves } from './store.ts'
import type { MoveRow } from './tables.ts'

/** Presents moves of one kind. */
type Present<Presented> = (platform: Platform, moves: readonly MoveRow[]) => Promise<Presented[]>

/** A kind of moves as the API shows it. */
export type ShownKind<Presented> = { kind: MoveKind; present: Present<Presented> }

/** A page of the moves of a kind, or of one container, newest first (contract 10, 3.15). */
export async function listMoves<Presented>(
  platform: Platform,
  { kind, present }: ShownKind<Presented>,
  containerId: number | null,
  page: PageRequest,
): Promise<Page<Presented>> {
  const found = await pageOfMoves(platform.database.read, kind, containerId, page)
  return { ...found, items: await present(platform, found.items) }
}

/** Gets a move; with a container, only one of its moves (contract 10, 3.15c, 3.15d). @throws ApiError 404 */
export async function getMove<Presented>(
  platform: Platform,
  { kind, present }: ShownKind<Presented>,
  containerId: number | null,
  id: number,
): Promise<Presented> {
  const move = await moveById(platform.database.read, kind, id)
  const isFound = move && (containerId === null || move.container_id === containerId)
  const [presented] = isFound ? await present(platform, [move]) : []
  if (presented === undefined) throw recordNotFound()
  return presented
}

/** Schedules a move (contract 10, 3.16). @throws ApiError 400; 404 when the container was deleted meanwhile */
export async function startMove<Presented>(
  platform: Platform,
  { kind, present }: ShownKind<Presented>,
  containerId: number,
  wanted: { destination: string | undefined; act: Act },
): Promise<Presented> {
  const move = await scheduleMove(platform, kind, containerId, wanted)
  const [presented] = move ? await present(platform, [move]) : []
  if (presented === undefined) throw recordNotFound()
  return presented
}
