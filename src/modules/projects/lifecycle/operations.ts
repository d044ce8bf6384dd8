import { forms, pageOf, reading, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { GroupDetail, group, groupDetailOf } from '../../groups/index.ts'
import { PublicGroup } from '../../namespaces/index.ts'
import { project } from '../core/access.ts'
import { ProjectObject } from '../present/present.ts'
import { listTransferLocations } from '../sharing/groups.ts'
import { requireOwnArchive, setArchived } from './archive.ts'
import { deleteOrMark, restoreProject } from './deletion.ts'
import { transferIntoGroup, transferProject } from './transfer.ts'

const tag = 'Projects'
const deletes = { tag, subject: project, allow: 'delete_project', scopes: writing } as const
const archives = { tag, subject: project, allow: 'archive_project', scopes: writing } as const

export const projectsDelete = operation({
  ...deletes,
  id: 'projects.delete',
  contract: 'x.projects_delete',
  method: 'DELETE',
  path: '/projects/:id',
  summary: 'Delete a project',
  description:
    'Marks the project for deletion; it is removed after the retention period of the instance. ' +
    'A marked one can be removed at once.',
  params: {
    permanently_remove: t.boolean({ description: 'Removes a project that is marked already' }),
    full_path: t.string({ description: 'With permanently_remove: the current or the original full path' }),
  },
  result: [202, forms.accepted],
  async run({ platform, subject, params, unmodified, act }) {
    await deleteOrMark(platform, subject, params, { unmodified, act })
    return { message: '202 Accepted' }
  },
})

export const projectsRestore = operation({
  ...deletes,
  id: 'projects.restore',
  contract: 'x.projects_restore',
  method: 'POST',
  path: '/projects/:id/restore',
  summary: 'Undo the scheduled deletion of a project',
  result: [201, ProjectObject],
  run: ({ platform, subject, actor }) => restoreProject(platform, subject, actor),
})

export const projectsArchive = operation({
  ...archives,
  id: 'projects.archive',
  contract: 'x.projects_archive',
  method: 'POST',
  path: '/projects/:id/archive',
  summary: 'Archive a project',
  result: [201, ProjectObject],
  run: ({ platform, subject, actor, act }) => setArchived(platform, subject, true, { actor, act }),
})

export const projectsUnarchive = operation({
  ...archives,
  id: 'projects.unarchive',
  contract: 'x.projects_unarchive',
  method: 'POST',
  path: '/projects/:id/unarchive',
  summary: 'Unarchive a project',
  result: [201, ProjectObject],
  permits: ({ subject }) => requireOwnArchive(subject),
  run: ({ platform, subject, actor, act }) => setArchived(platform, subject, false, { actor, act }),
})

export const projectsTransfer = operation({
  id: 'projects.transfer',
  contract: 'x.projects_transfer',
  method: 'PUT',
  path: '/projects/:id/transfer',
  tag,
  summary: 'Move a project to another namespace',
  description: 'Old paths redirect to the project. Its visibility is lowered to that of the new group.',
  subject: project,
  allow: 'transfer',
  scopes: writing,
  params: { namespace: t.required(t.string({ description: 'Id or full path' })) },
  result: [200, ProjectObject],
  run: ({ platform, subject, actor, params }) => transferProject(platform, subject, params.namespace, actor),
})

export const projectsTransferLocations = operation({
  id: 'projects.transfer_locations',
  contract: 'x.projects_transfer_locations',
  method: 'GET',
  path: '/projects/:id/transfer_locations',
  tag,
  summary: 'List the groups that a project may be moved to',
  subject: project,
  allow: 'own',
  scopes: reading,
  params: { search: t.string() },
  result: [200, pageOf(PublicGroup)],
  run: ({ platform, subject, actor, params, page }) =>
    listTransferLocations(platform, subject, params.search, actor, page),
})

export const groupsTakeProject = operation({
  id: 'groups.take_project',
  contract: 'x.groups_take_project',
  method: 'POST',
  path: '/groups/:id/projects/:project_id',
  tag: 'Groups',
  summary: 'Move a project into a group',
  subject: group,
  allow: 'administer',
  scopes: writing,
  result: [201, GroupDetail],
  async run({ platform, subject, actor, params, act }) {
    await transferIntoGroup(platform, subject, params.project_id, { actor, act })
    return groupDetailOf(platform, actor, subject)
  },
})
