import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, rows, type Tx, within } from '../../infra/database/index.ts'
import type { StorageKey } from '../../infra/objects/index.ts'
import { keyOfDocument } from './keys.ts'
import { type StateRow, terraformStates, terraformStateVersions, type VersionRow } from './tables.ts'

export const { insert: insertState, update: updateState, remove: deleteState } = rows(terraformStates)
export const { insert: insertVersion, remove: deleteVersion } = rows(terraformStateVersions)

export async function stateNamed(db: Reader, projectId: number, name: string): Promise<StateRow | null> {
  const query = db.selectFrom('terraform_states').selectAll().where('project_id', '=', projectId)
  return (await query.where('name', '=', name).executeTakeFirst()) ?? null
}

/** A state with its newest version, and the name of who holds its lock. */
export type ShownState = StateRow & { latest_serial: number | null; lock_holder: string | null }

/** A page of the states of a project, by name. */
export async function pageOfStates(db: Reader, projectId: number, page: PageRequest): Promise<Page<ShownState>> {
  const query = db
    .selectFrom('terraform_states')
    .leftJoin('users', 'users.id', 'terraform_states.locked_by_id')
    .selectAll('terraform_states')
    .select((eb) => [
      'users.username as lock_holder',
      eb
        .selectFrom('terraform_state_versions')
        .select('serial')
        .whereRef('state_id', '=', 'terraform_states.id')
        .orderBy('terraform_state_versions.id', 'desc')
        .limit(1)
        .as('latest_serial'),
    ])
    .where('terraform_states.project_id', '=', projectId)
  return pageOfRows(db, query.orderBy('terraform_states.name'), page)
}

/** A page of the versions of a state, the newest first. */
export async function pageOfVersions(db: Reader, stateId: number, page: PageRequest): Promise<Page<VersionRow>> {
  const query = db.selectFrom('terraform_state_versions').selectAll().where('state_id', '=', stateId)
  return pageOfRows(db, query.orderBy('id', 'desc'), page)
}

/** The version that was written last; null while there is none. */
export async function newestVersion(db: Reader, stateId: number): Promise<VersionRow | null> {
  const query = db.selectFrom('terraform_state_versions').selectAll().where('state_id', '=', stateId)
  return (await query.orderBy('id', 'desc').limit(1).executeTakeFirst()) ?? null
}

export async function versionOf(db: Reader, stateId: number, serial: number): Promise<VersionRow | null> {
  const query = db.selectFrom('terraform_state_versions').selectAll().where('state_id', '=', stateId)
  return (await query.where('serial', '=', serial).executeTakeFirst()) ?? null
}

/** All versions of a state. */
export async function versionsOf(tx: Tx, stateId: number): Promise<VersionRow[]> {
  return tx.selectFrom('terraform_state_versions').selectAll().where('state_id', '=', stateId).execute()
}

/** Those of these secrets that versions have, with the project of each. */
export async function knownSecrets(db: Reader, secrets: readonly string[]) {
  const query = db.selectFrom('terraform_state_versions').select(['project_id', 'secret'])
  return query.where(within(db, 'secret', secrets)).execute()
}

/** Versions after an id, for checks of all. */
export async function versionsAfter(db: Reader, id: number, limit: number): Promise<VersionRow[]> {
  return db.selectFrom('terraform_state_versions').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}

/** Where the documents of versions are, by their ids; of those that there are. */
export async function stateVersionKeys(db: Reader, ids: readonly number[]): Promise<Map<number, StorageKey>> {
  const query = db.selectFrom('terraform_state_versions').select(['id', 'project_id', 'secret'])
  const found = await query.where(within(db, 'id', ids)).execute()
  return new Map(found.map((row) => [row.id, keyOfDocument(row)]))
}

/** The ids of the versions of all states of a project. */
export async function stateVersionsOfProject(db: Reader, projectId: number): Promise<number[]> {
  const query = db.selectFrom('terraform_state_versions').select('id').where('project_id', '=', projectId)
  return (await query.execute()).map(({ id }) => id)
}
