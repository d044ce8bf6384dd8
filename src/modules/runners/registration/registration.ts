import { failure, forbidden, notFound, type Static } from '../../../api/index.ts'
import { safeEqual } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { insertNewRunner, type RunnerOwner } from '../core/new-runner.ts'
import type { NewRunner } from '../core/params.ts'
import type { RegisteredRunner } from '../core/present.ts'
import * as store from '../core/store.ts'
import { replaceToken } from '../management/runners.ts'
import { recordContact, rememberManager, type Visitor } from '../protocol/contact.ts'
import { requireRunner } from '../protocol/credentials.ts'
import { deleteManager } from '../protocol/store.ts'
import { ownerOfToken } from './store.ts'

/** Checks a token, and answers with it (contract 04, x.runner_verify). @throws ApiError 403 */
export async function verifyRunner(
  platform: Platform,
  token: string,
  visitor: Visitor,
): Promise<Static<typeof RegisteredRunner>> {
  const row = await requireRunner(platform, token)
  if (visitor.info) await recordContact(platform, row, visitor)
  else await rememberManager(platform, row, visitor)
  return { id: row.id, token, token_expires_at: row.token_expires_at }
}

/** Of which owners registration tokens add runners, as the setting `valid_runner_registrars` names them. */
const registrars = { group_type: 'group', project_type: 'project' } as const

/** The owner of new runners whose registration token this is. @throws ApiError 403 */
async function requireOwner(platform: Platform, token: string): Promise<RunnerOwner> {
  const { runners_registration_token: ofInstance, valid_runner_registrars: valid } = await platform.settings.current()
  if (ofInstance && safeEqual(ofInstance, token)) return { runner_type: 'instance_type' }
  const owner = token === '' ? null : await ownerOfToken(platform.database.read, token)
  if (!owner || (owner.runner_type !== 'instance_type' && !valid.includes(registrars[owner.runner_type]))) {
    throw forbidden()
  }
  return owner
}

/**
 * Registers a runner by a registration token, where the instance allows it (contract 04, x.runner_register).
 * @throws ApiError 410, 403, 400
 */
export async function registerRunner(
  platform: Platform,
  token: string,
  given: NewRunner,
  visitor: Visitor,
): Promise<Static<typeof RegisteredRunner>> {
  const { allow_runner_registration_token: isAllowed } = await platform.settings.current()
  if (!isAllowed) throw failure(410, '410 Gone - runner registration disallowed')
  const owner = await requireOwner(platform, token)
  const made = await platform.database.write((tx) => insertNewRunner(platform, tx, owner, given, null))
  if (visitor.info) await recordContact(platform, made.row, visitor)
  return { id: made.row.id, token: made.token, token_expires_at: made.row.token_expires_at }
}

/** Deletes the runner of a token (contract 04, x.runner_unregister). @throws ApiError 403 */
export async function unregisterRunner(platform: Platform, token: string): Promise<void> {
  const { id } = await requireRunner(platform, token)
  await platform.database.write(async (tx) => {
    if (!(await store.lockRunner(tx, id))) throw forbidden()
    await store.deleteRunner(tx, id)
  })
}

/** Deletes one of the programs that use a token (contract 04, x.runner_manager_unregister). @throws ApiError 403, 404 */
export async function unregisterManager(platform: Platform, token: string, systemId: string): Promise<void> {
  const { id } = await requireRunner(platform, token)
  if (!(await platform.database.write((tx) => deleteManager(tx, id, systemId)))) throw notFound('System')
}

/** Replaces the token with which the request is made (contract 04, x.runner_reset_own_token). @throws ApiError 403 */
export async function resetOwnToken(platform: Platform, token: string) {
  const row = await requireRunner(platform, token)
  return platform.database.write(async (tx) => {
    const held = await store.lockRunner(tx, row.id)
    // A concurrent request has replaced the token.
    if (held?.token_digest !== row.token_digest) throw forbidden()
    return replaceToken(platform, tx, held)
  })
}
