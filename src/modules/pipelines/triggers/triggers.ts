import {
  type Actor,
  forbidden,
  type Page,
  type PageRequest,
  recordNotFound,
  requireSignedIn,
  type Unmodified,
} from '../../../api/index.ts'
import { claim, now } from '../../../infra/database/index.ts'
import { hashToken, randomToken, SealError, type Sealer } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { presentingUsers, usersByIds } from '../../users/index.ts'
import type { CiTriggerRow } from '../tables.ts'
import type { NewTrigger } from './params.ts'
import { presentTrigger } from './present.ts'
import * as store from './store.ts'

type PresentedTrigger = ReturnType<typeof presentTrigger>

const prefix = 'glptt-'
const shownCharacters = 4

const contextOf = (digest: string) => `ci_triggers:${digest}:token`

function openToken({ log }: Platform, sealer: Sealer, { id, sealed_token, token_digest, token_start }: CiTriggerRow) {
  try {
    return sealer.open(sealed_token, contextOf(token_digest))
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    log.error({ trigger: id, err: error }, 'a trigger token cannot be opened')
    return token_start
  }
}

/** Presents triggers; the whole token only to the user who created it. */
async function presentAll(
  platform: Platform,
  actor: Actor,
  rows: readonly CiTriggerRow[],
): Promise<PresentedTrigger[]> {
  const ownerIds = [...new Set(rows.map(({ owner_id }) => owner_id))]
  const [owners, presenting, sealer] = await Promise.all([
    usersByIds(platform.database.read, ownerIds),
    presentingUsers(platform),
    platform.secrets.sealer(),
  ])
  return rows.map((row) => {
    const isOwn = actor.kind === 'user' && actor.userId === row.owner_id
    const token = isOwn ? openToken(platform, sealer, row) : row.token_start
    return presentTrigger(row, token, owners.get(row.owner_id), presenting)
  })
}

async function presentOne(platform: Platform, actor: Actor, row: CiTriggerRow): Promise<PresentedTrigger> {
  const [presented] = await presentAll(platform, actor, [row])
  if (!presented) throw recordNotFound()
  return presented
}

/** @throws ApiError 404 */
async function requireTrigger({ database }: Platform, project: Project, id: number): Promise<CiTriggerRow> {
  const row = await store.triggerOfProject(database.read, project.id, id)
  if (!row) throw recordNotFound()
  return row
}

/** A page of the triggers of a project (contract 04, x.triggers_list). */
export async function listTriggers(
  platform: Platform,
  project: Project,
  actor: Actor,
  page: PageRequest,
): Promise<Page<PresentedTrigger>> {
  const found = await store.pageOfTriggers(platform.database.read, project.id, page)
  return { ...found, items: await presentAll(platform, actor, found.items) }
}

/** @throws ApiError 404 (contract 04, x.triggers_get) */
export async function getTrigger(platform: Platform, project: Project, actor: Actor, id: number) {
  return presentOne(platform, actor, await requireTrigger(platform, project, id))
}

/** Creates a trigger of the caller (contract 04, x.triggers_create). */
export async function createTrigger(
  platform: Platform,
  project: Project,
  actor: Actor,
  { description, expires_at }: NewTrigger,
): Promise<PresentedTrigger> {
  const { userId } = requireSignedIn(actor)
  const moment = now(platform.clock)
  const token = randomToken(prefix)
  const token_digest = hashToken(token)
  const sealed_token = (await platform.secrets.sealer()).seal(token, contextOf(token_digest))
  const row = await platform.database.write((tx) =>
    store.insertTrigger(tx, {
      ...{ project_id: project.id, owner_id: userId, description, expires_at: expires_at ?? null },
      ...{ token_digest, sealed_token, token_start: token.slice(0, shownCharacters) },
      ...{ created_at: moment, updated_at: moment },
    }),
  )
  return presentOne(platform, actor, row)
}

/** Changes the description of a trigger of the caller (contract 04, x.triggers_update). @throws ApiError 403, 404 */
export async function changeTrigger(
  platform: Platform,
  project: Project,
  actor: Actor,
  { trigger_id, description }: { trigger_id: number; description?: string | undefined },
): Promise<PresentedTrigger> {
  const row = await requireTrigger(platform, project, trigger_id)
  if (requireSignedIn(actor).userId !== row.owner_id) throw forbidden()
  if (description === undefined) return presentOne(platform, actor, row)
  const { database, clock } = platform
  const changed = await database.write((tx) => store.describeTrigger(tx, row.id, description, now(clock)))
  if (!changed) throw recordNotFound()
  return presentOne(platform, actor, changed)
}

/** @throws ApiError 404, 412 (contract 04, x.triggers_delete) */
export async function removeTrigger(platform: Platform, project: Project, id: number, unmodified: Unmodified) {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'ci_triggers', () => store.triggerOfProject(tx, project.id, id))
    if (!row) throw recordNotFound()
    unmodified(row.updated_at)
    await store.deleteTrigger(tx, id)
  })
}
