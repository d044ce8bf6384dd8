import {
  computed,
  forms,
  object,
  of,
  type PageRequest,
  recordNotFound,
  Type,
  type Unmodified,
} from '../../api/index.ts'
import { claim, now, type Reader } from '../../infra/database/index.ts'
import { randomHex } from '../../infra/secrets/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Project } from '../projects/index.ts'
import * as store from './store.ts'
import type { ErrorTrackingKeyRow } from './tables.ts'

/** The address that a client of Sentry is given. @param externalUrl of the server */
function addressFor(externalUrl: string, { public_key: key, project_id: projectId }: ErrorTrackingKeyRow): string {
  const { protocol, host, pathname } = new URL(externalUrl)
  return `${protocol}//${key}@${host}${pathname.replace(/\/$/, '')}/api/v4/error_tracking/collector/${projectId}`
}

/** A key of clients (contract 26.14, ClientKey). The view is the address of the server. */
export const ErrorTrackingClientKey = object('ErrorTrackingClientKey', of<ErrorTrackingKeyRow, string>(), {
  id: forms.id,
  active: computed(Type.Boolean(), () => true),
  public_key: Type.String(),
  sentry_dsn: computed(Type.String(), (row, externalUrl) => addressFor(externalUrl, row)),
})

const prefix = 'glet_'

/** A key of a project. @throws ApiError 404 */
async function requireKey(db: Reader, project: Project, id: number): Promise<ErrorTrackingKeyRow> {
  const row = await store.keyById(db, id)
  if (row?.project_id !== project.id) throw recordNotFound()
  return row
}

/** A page of the keys of a project, by id (contract 26, x.error_key_list). */
export async function listKeys({ database, externalUrl }: Platform, project: Project, page: PageRequest) {
  const found = await store.pageOfKeys(database.read, project.id, page)
  return { ...found, items: found.items.map((row) => ErrorTrackingClientKey.present(row, externalUrl)) }
}

/** Makes a key (contract 26, x.error_key_create). */
export async function createKey({ database, clock, externalUrl }: Platform, project: Project) {
  const values = { project_id: project.id, public_key: `${prefix}${randomHex(16)}`, created_at: now(clock) }
  const row = await database.write((tx) => store.insertKey(tx, values))
  return ErrorTrackingClientKey.present(row, externalUrl)
}

/** Deletes a key (contract 26, x.error_key_delete). @throws ApiError 404, 412 */
export async function deleteKey(
  { database, externalUrl }: Platform,
  project: Project,
  id: number,
  unmodified: Unmodified,
) {
  const row = await database.write(async (tx) => {
    const found = await claim(tx, 'error_tracking_keys', () => requireKey(tx, project, id))
    unmodified(found.created_at)
    await store.deleteKey(tx, found.id)
    return found
  })
  return ErrorTrackingClientKey.present(row, externalUrl)
}
