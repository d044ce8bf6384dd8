import { instance, requireSignedIn, t, type UserActor, writing } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { operation } from '../../../platform/index.ts'
import { requireUser } from '../../users/index.ts'
import { ProjectObject, presentProject } from '../present/present.ts'
import { createProject } from './create.ts'
import { creationParams, exclusive } from './params.ts'

/** The caller acting as another user, who becomes the owner and whose limits apply. @throws ApiError 404 */
async function actingAs(db: Reader, actor: UserActor, userId: number): Promise<UserActor> {
  const { id, username, is_admin: administrator, external } = await requireUser(db, userId)
  return { ...actor, userId: id, username, administrator, external, bot: false }
}

const create = {
  method: 'POST',
  tag: 'Projects',
  subject: instance,
  scopes: writing,
  exclusive,
  result: [201, ProjectObject],
} as const

export const projectsCreate = operation({
  ...create,
  id: 'projects.create',
  contract: 'x.projects_create',
  path: '/projects',
  summary: 'Create a project',
  allow: 'authenticated',
  params: creationParams,
  atLeastOne: ['name', 'path'],
  run: async ({ platform, actor, params, act }) =>
    presentProject(platform, await createProject(platform, requireSignedIn(actor), params, act), actor),
})

export const projectsCreateFor = operation({
  ...create,
  id: 'projects.create_for',
  contract: 'x.projects_create_for',
  path: '/projects/user/:user_id',
  summary: 'Create a project for a user',
  allow: 'administrator',
  params: { user_id: t.id(), ...creationParams, name: t.required(t.string()) },
  async run({ platform, actor, params, act }) {
    const owner = await actingAs(platform.database.read, requireSignedIn(actor), params.user_id)
    return presentProject(platform, await createProject(platform, owner, params, act), actor)
  },
})
