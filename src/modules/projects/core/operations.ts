import {
  type Actor,
  instance,
  notFound,
  type Operation,
  operation,
  pageOf,
  reading,
  t,
  type UserActor,
  unauthorized,
  writing,
} from '../../../api/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import { memberLevels } from '../../access/index.ts'
import { PublicGroup } from '../../namespaces/index.ts'
import { UserBasic, userById } from '../../users/index.ts'
import type { Creation } from '../creation/create.ts'
import { ProjectObject, type ProjectPresenter } from '../present/present.ts'
import { writableParams } from '../settings/params.ts'
import type { ProjectPeople } from '../sharing/people.ts'
import type { ProjectSubject } from './access.ts'
import type { Updates } from './update.ts'

const tag = 'Projects'

export type ProjectOperationsNeeds = {
  database: Database
  project: ProjectSubject
  presenter: ProjectPresenter
  creation: Creation
  updates: Updates
  people: ProjectPeople
}

const changeParams = {
  ...writableParams,
  import_url: t.string({ description: 'Where to pull from while `mirror` is on; over http, https or git' }),
}

const creationParams = {
  ...writableParams,
  namespace_id: t.integer({ description: 'Where to make it; the own namespace unless told' }),
  initialize_with_readme: t.boolean({ description: 'Makes a first commit with a README.md' }),
  import_url: t.string({ description: 'Repository to import, over http, https or git' }),
  template_name: t.string(),
  template_project_id: t.integer(),
  repository_object_format: t.oneOf(['sha1', 'sha256']),
}

const exclusive = [['import_url', 'template_name', 'template_project_id']] as const

/** Everybody known may make projects; nobody else gets this far. */
function known(actor: Actor): UserActor {
  if (actor.kind !== 'user') throw unauthorized()
  return actor
}

function creationOperations({ database, creation, presenter }: ProjectOperationsNeeds): Operation[] {
  /** The same caller in the place of another user, so that the project becomes theirs and their limits count. */
  async function inPlaceOf(actor: UserActor, userId: number): Promise<UserActor> {
    const user = Number.isSafeInteger(userId) ? await userById(database.read, userId) : null
    if (!user) throw notFound('User')
    const { id, username, is_admin: administrator, external } = user
    return { ...actor, userId: id, username, administrator, external, bot: false }
  }

  return [
    operation({
      id: 'projects.create',
      contract: 'x.projects_create',
      method: 'POST',
      path: '/projects',
      tag,
      summary: 'Create a project',
      subject: instance,
      allow: 'authenticated',
      scopes: writing,
      params: creationParams,
      atLeastOne: ['name', 'path'],
      exclusive,
      result: [201, ProjectObject],
      run: async ({ actor, params }) => presenter.presentProject(await creation.create(known(actor), params), actor),
    }),
    operation({
      id: 'projects.create_for',
      contract: 'x.projects_create_for',
      method: 'POST',
      path: '/projects/user/:user_id',
      tag,
      summary: 'Create a project for a user',
      subject: instance,
      allow: 'administrator',
      scopes: writing,
      numericPath: { user_id: 'invalid' },
      params: { ...creationParams, name: t.required(t.string()) },
      exclusive,
      result: [201, ProjectObject],
      async run({ actor, params, request }) {
        const owner = await inPlaceOf(known(actor), Number(request.path.user_id))
        return presenter.presentProject(await creation.create(owner, params), actor)
      },
    }),
  ]
}

function singleOperations({ project, presenter, updates }: ProjectOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.get',
      contract: 'x.projects_get',
      method: 'GET',
      path: '/projects/:id',
      tag,
      summary: 'Get a project',
      description: 'Callers without credentials see the basic level of public projects.',
      subject: project,
      allow: 'read_project',
      scopes: reading,
      params: {
        statistics: t.boolean({ description: 'Sizes and the number of commits; for reporters and above' }),
        with_custom_attributes: t.boolean({ description: 'For administrators' }),
      },
      result: [200, ProjectObject],
      run: ({ subject, actor, params }) =>
        presenter.presentProject(subject, actor, {
          permissions: true,
          statistics: params.statistics,
          customAttributes: params.with_custom_attributes,
        }),
    }),
    operation({
      id: 'projects.update',
      contract: 'x.projects_update',
      method: 'PUT',
      path: '/projects/:id',
      tag,
      summary: 'Change a project',
      description:
        'Any of the attributes may be given; the others stay as they are. Name and visibility are for owners.',
      subject: project,
      allow: 'edit_project',
      scopes: writing,
      params: changeParams,
      atLeastOne: Object.keys(changeParams).sort() as (keyof typeof changeParams)[],
      result: [200, ProjectObject],
      run: async ({ subject, actor, params }) =>
        presenter.presentProject(await updates.update(subject, params, actor), actor),
    }),
  ]
}

function peopleOperations({ project, people }: ProjectOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.users',
      contract: 'x.projects_users',
      method: 'GET',
      path: '/projects/:id/users',
      tag,
      summary: 'List the users who have access to a project',
      subject: project,
      allow: 'read_project',
      scopes: reading,
      params: { search: t.string(), skip_users: t.array(t.integer(), { commaSeparated: true }) },
      result: [200, pageOf(UserBasic)],
      run: ({ subject, actor, params, page }) => people.users(subject, params, page, actor),
    }),
    operation({
      id: 'projects.groups',
      contract: 'x.projects_groups',
      method: 'GET',
      path: '/projects/:id/groups',
      tag,
      summary: 'List the groups above a project, and those that it is shared with',
      subject: project,
      allow: 'read_project',
      scopes: reading,
      params: {
        search: t.string(),
        skip_groups: t.array(t.integer(), { commaSeparated: true }),
        with_shared: t.boolean({ description: 'Also the groups that the project is shared with' }),
        shared_visible_only: t.boolean({ description: 'Of those only the ones that the caller sees' }),
        shared_min_access_level: t.integerOf(memberLevels),
      },
      result: [200, pageOf(PublicGroup)],
      run: ({ subject, actor, params, page }) => people.groups(subject, params, page, actor),
    }),
  ]
}

export function projectOperations(needs: ProjectOperationsNeeds): Operation[] {
  return [...creationOperations(needs), ...singleOperations(needs), ...peopleOperations(needs)]
}
