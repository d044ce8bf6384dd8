import { raw, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { withAttributes } from '../../custom-attributes/index.ts'
import { avatarOf } from '../../users/index.ts'
import { ProjectObject, presentProject } from '../present/present.ts'
import { writableParams } from '../settings/params.ts'
import { project } from './access.ts'
import { changeProject } from './update.ts'

const shared = { path: '/projects/:id', tag: 'Projects', subject: project, result: [200, ProjectObject] } as const

const changeParams = {
  ...writableParams,
  import_url: t.string({ description: 'Address to pull from while `mirror` is on; over http, https or git' }),
}

export const projectsGet = operation({
  ...shared,
  id: 'projects.get',
  contract: 'x.projects_get',
  method: 'GET',
  summary: 'Get a project',
  description: 'Anonymous users get the basic level of public projects.',
  allow: 'read_project',
  scopes: reading,
  params: {
    statistics: t.boolean({ description: 'Sizes and the number of commits; for reporters and above' }),
    ...withAttributes,
  },
  run: ({ platform, subject, actor, params }) =>
    presentProject(platform, subject, actor, {
      permissions: true,
      statistics: params.statistics,
      customAttributes: params.with_custom_attributes,
    }),
})

export const projectsUpdate = operation({
  ...shared,
  id: 'projects.update',
  contract: 'x.projects_update',
  method: 'PUT',
  summary: 'Change a project',
  description: 'Any of the attributes may be given; the others stay as they are. Name and visibility are for owners.',
  allow: 'edit_merge_settings',
  scopes: writing,
  params: changeParams,
  atLeastOne: Object.keys(changeParams).sort() as (keyof typeof changeParams)[],
  run: async ({ platform, subject, actor, params, act }) =>
    presentProject(platform, await changeProject(platform, subject, params, actor, act), actor),
})

export const projectsAvatar = operation({
  ...shared,
  id: 'projects.avatar',
  contract: 'x.projects_avatar',
  method: 'GET',
  path: '/projects/:id/avatar',
  summary: 'Get the avatar of a project',
  allow: 'read_project',
  scopes: reading,
  result: [200, { ...raw, mediaType: 'image/*' }],
  run: ({ platform, subject }) => avatarOf(platform, 'project', subject),
})
