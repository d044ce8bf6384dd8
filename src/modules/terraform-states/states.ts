import { type PageRequest, parameterError, type Raw, recordNotFound, routeNotFound } from '../../api/index.ts'
import { acquireLock, type Reader, type Tx } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Project } from '../projects/index.ts'
import { openDocument } from './documents.ts'
import { TerraformState, TerraformStateVersion } from './present.ts'
import * as store from './store.ts'
import type { StateRow, VersionRow } from './tables.ts'

const longestName = 255

/** @throws ApiError 400, form B; 404 for a name with a slash, which is another address */
export function requireName(name: string): void {
  if (name.includes('/')) throw routeNotFound()
  if ([...name].length > longestName) {
    throw parameterError('name', `is too long (maximum is ${longestName} characters)`)
  }
}

/** Changes of a state, its versions and its lock follow one another. */
export const holdState = (tx: Tx, { id }: Pick<Project, 'id'>, name: string): Promise<void> =>
  acquireLock(tx, `terraform_states:${id}:${name}`)

/** A state of a project. @throws ApiError 400, 404 */
export async function requireState(db: Reader, { id }: Pick<Project, 'id'>, name: string): Promise<StateRow> {
  requireName(name)
  const row = await store.stateNamed(db, id, name)
  if (!row) throw recordNotFound()
  return row
}

/** A page of the states of a project (contract 26, x.tf_state_list). */
export async function listStates({ database }: Platform, { id }: Project, page: PageRequest) {
  const found = await store.pageOfStates(database.read, id, page)
  return { ...found, items: found.items.map((row) => TerraformState.present(row)) }
}

/** A page of the versions of a state (contract 26, x.tf_version_list). @throws ApiError 400, 404 */
export async function listVersions({ database }: Platform, project: Project, name: string, page: PageRequest) {
  const { id } = await requireState(database.read, project, name)
  const found = await store.pageOfVersions(database.read, id, page)
  return { ...found, items: found.items.map((row) => TerraformStateVersion.present(row)) }
}

const documentOf = (platform: Platform, version: VersionRow): Raw => ({
  headers: {
    'Content-Type': 'application/json',
    'Content-Length': String(version.size_bytes),
    'Cache-Control': 'no-store',
  },
  body: () => openDocument(platform, version),
})

/** The newest document of a state (contract 26, x.tf_state_get). @returns null while there is none. @throws ApiError 400, 404 */
export async function readState(platform: Platform, project: Project, name: string): Promise<Raw | null> {
  const { read } = platform.database
  const { id } = await requireState(read, project, name)
  const newest = await store.newestVersion(read, id)
  return newest && documentOf(platform, newest)
}

/** The document of a version (contract 26, x.tf_version_get). @throws ApiError 400, 404 */
export async function readVersion(platform: Platform, project: Project, name: string, serial: number): Promise<Raw> {
  const { read } = platform.database
  const version = await store.versionOf(read, (await requireState(read, project, name)).id, serial)
  if (!version) throw recordNotFound()
  return documentOf(platform, version)
}
