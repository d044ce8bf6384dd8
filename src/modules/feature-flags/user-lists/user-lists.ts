import { ApiError, failure, type PageRequest, recordNotFound, type Unmodified } from '../../../api/index.ts'
import { claim, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { nextInternalId } from '../../../platform/internal-ids/index.ts'
import type { Project } from '../../projects/index.ts'
import { finishWrite, lockFlags } from '../generation.ts'
import type { UserListRow } from '../tables.ts'
import { isListOfIds, notAListOfIds } from '../user-xids.ts'
import type { NewUserList, UserListChanges } from './params.ts'
import { presentUserList } from './present.ts'
import * as store from './store.ts'

const longestName = 255
const mostWords = 10

async function requireUserList(db: Reader, project: Project, iid: number): Promise<UserListRow> {
  const row = await store.userListByIid(db, project.id, iid)
  if (!row) throw recordNotFound()
  return row
}

/** @throws ApiError 400 with all problems together */
function requireValid({ name, user_xids: xids }: NewUserList): void {
  const problems = [
    ...(name.trim() === '' ? ["Name can't be blank"] : []),
    ...([...name].length > longestName ? [`Name is too long (maximum is ${longestName} characters)`] : []),
    ...(isListOfIds(xids) ? [] : [`User xids user_xids ${notAListOfIds}`]),
  ]
  if (problems.length > 0) throw failure(400, problems)
}

/** @throws ApiError 400 */
async function requireNameFree(tx: Tx, project: Project, name: string): Promise<void> {
  if (await store.userListByName(tx, project.id, name)) throw failure(400, ['Name has already been taken'])
}

/** A page of the lists of a project (contract 24, x.feature_flag_user_lists_list). */
export async function listUserLists({ database }: Platform, project: Project, search: string, page: PageRequest) {
  const words = search.split(/\s+/).filter((word) => word !== '')
  const found = await store.pageOfUserLists(database.read, project.id, words.slice(0, mostWords), page)
  return { ...found, items: found.items.map((row) => presentUserList(project, row)) }
}

/** One list (contract 24, x.feature_flag_user_lists_get). @throws ApiError 404 */
export async function getUserList({ database }: Platform, project: Project, iid: number) {
  return presentUserList(project, await requireUserList(database.read, project, iid))
}

/** Creates a list (contract 24, x.feature_flag_user_lists_create). @throws ApiError 400 */
export async function createUserList({ database, clock }: Platform, project: Project, given: NewUserList) {
  requireValid(given)
  const { name, user_xids } = given
  const moment = now(clock)
  const row = await database.write(async (tx) => {
    await lockFlags(tx, project.id)
    await requireNameFree(tx, project, name)
    const iid = await nextInternalId(tx, { projectId: project.id }, 'feature_flag_user_lists')
    return store.insertUserList(tx, {
      ...{ project_id: project.id, iid, name, user_xids },
      ...{ created_at: moment, updated_at: moment },
    })
  })
  return presentUserList(project, row)
}

/** Changes a list (contract 24, x.feature_flag_user_lists_update). @throws ApiError 400, 404 */
export async function updateUserList(
  { database, clock }: Platform,
  project: Project,
  iid: number,
  given: UserListChanges,
) {
  const row = await database.write(async (tx) => {
    await lockFlags(tx, project.id)
    const current = await requireUserList(tx, project, iid)
    const { name = current.name, user_xids = current.user_xids } = given
    requireValid({ name, user_xids })
    if (name !== current.name) await requireNameFree(tx, project, name)
    const changed = await store.updateUserList(tx, current.id, { name, user_xids, updated_at: now(clock) })
    if (!changed) throw recordNotFound()
    await finishWrite(tx, project.id)
    return changed
  })
  return presentUserList(project, row)
}

const inUse = () => new ApiError('user_list_in_use', 409, { message: ['User list is associated with a strategy'] })

/** Deletes a list that no strategy names (contract 24, x.feature_flag_user_lists_delete). @throws ApiError 404, 409, 412 */
export async function deleteUserList(
  { database }: Platform,
  project: Project,
  iid: number,
  unmodified: Unmodified,
): Promise<void> {
  await database.write(async (tx) => {
    await lockFlags(tx, project.id)
    const row = await claim(tx, 'feature_flag_user_lists', () => requireUserList(tx, project, iid))
    unmodified(row.updated_at)
    if (await store.isInUse(tx, row.id)) throw inUse()
    await store.deleteUserList(tx, row.id)
  })
}
