import {
  type Actor,
  dayOf,
  forbidden,
  isAdministrator,
  parameterErrors,
  requireSignedIn,
  type Static,
} from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { mayInGroup, withLevel } from '../../groups/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { may, visibleProject } from '../../projects/index.ts'
import { insertNewRunner, type RunnerOwner } from '../core/new-runner.ts'
import type { CreatedRunner } from '../core/params.ts'
import type { RegisteredRunner } from '../core/present.ts'

const missing = (name: string) => parameterErrors([{ name, missing: true, text: 'is missing' }])

async function mayAddToGroup(db: Reader, id: number, actor: Actor, today: string): Promise<boolean> {
  const row = await namespaceById(db, id)
  if (row?.kind !== 'group' || row.pending_delete) return false
  return mayInGroup(actor, await withLevel(db, row, actor, today), 'admin_runners')
}

async function mayAddToProject(db: Reader, id: number, actor: Actor, today: string): Promise<boolean> {
  const project = await visibleProject(db, String(id), actor, today)
  return project !== null && may(actor, project, 'admin_runners')
}

type Owned = Pick<CreatedRunner, 'runner_type' | 'group_id' | 'project_id'>

/** Where administrators only add runners to groups, or to projects, as the setting says (contract 04, x.runner_create). @throws ApiError 403 */
async function requireRegistrar({ settings }: Platform, actor: Actor, registrar: 'group' | 'project'): Promise<void> {
  if (isAdministrator(actor)) return
  if (!(await settings.current()).valid_runner_registrars.includes(registrar)) throw forbidden()
}

/** The owner of a new runner. @throws ApiError 400 without its id, 403 when the caller may not add runners to it */
async function ownerOf(
  platform: Platform,
  { runner_type, group_id: groupId, project_id: projectId }: Owned,
  actor: Actor,
): Promise<RunnerOwner> {
  const [db, today] = [platform.database.read, dayOf(platform.clock.now())]
  if (runner_type === 'instance_type') {
    if (!isAdministrator(actor)) throw forbidden()
    return { runner_type }
  }
  if (runner_type === 'group_type') {
    if (groupId === undefined) throw missing('group_id')
    if (!(await mayAddToGroup(db, groupId, actor, today))) throw forbidden()
    await requireRegistrar(platform, actor, 'group')
    return { runner_type, groupId }
  }
  if (projectId === undefined) throw missing('project_id')
  if (!(await mayAddToProject(db, projectId, actor, today))) throw forbidden()
  await requireRegistrar(platform, actor, 'project')
  return { runner_type, projectId }
}

/** Refuses callers who may not add the runner that the known parameters describe. @throws ApiError 400, 403 */
export async function requireCreator(
  platform: Platform,
  { runner_type, ...owner }: Partial<CreatedRunner>,
  actor: Actor,
): Promise<void> {
  if (runner_type !== undefined) await ownerOf(platform, { runner_type, ...owner }, actor)
}

/** Creates a runner; its token is shown only here (contract 04, x.runner_create). @throws ApiError 400, 403 */
export async function createRunner(
  platform: Platform,
  given: CreatedRunner,
  { actor, act }: { actor: Actor; act: Act },
): Promise<Static<typeof RegisteredRunner>> {
  const { userId } = requireSignedIn(actor)
  const owner = await ownerOf(platform, given, actor)
  const { row, token } = await platform.database.write(async (tx) => {
    const made = await insertNewRunner(platform, tx, owner, given, userId)
    await act(tx, null, { target: { kind: 'runner', id: made.row.id } })
    return made
  })
  return { id: row.id, token, token_expires_at: row.token_expires_at }
}
