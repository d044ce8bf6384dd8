import {
  forms,
  type Operation,
  operation,
  pageOf,
  reading,
  requireUnmodified,
  type Subject,
  t,
  writing,
} from '../../../api/index.ts'
import { type NamespaceRow, PublicGroup } from '../../namespaces/index.ts'
import type { ProjectSubject } from '../core/access.ts'
import { ProjectObject } from '../present/present.ts'
import type { GroupPlaces } from '../sharing/groups.ts'
import type { Archive } from './archive.ts'
import type { ProjectLifecycle } from './deletion.ts'
import type { GroupAnswer } from './group-answer.ts'
import type { Transfers } from './transfer.ts'

const tag = 'Projects'

export type LifecycleOperationsNeeds = {
  project: ProjectSubject
  /** The subject of operations on groups, as far as it is needed here: for administrators. */
  group: Subject<NamespaceRow, 'read_group' | 'administer'>
  groupAnswer: GroupAnswer
  lifecycle: ProjectLifecycle
  archive: Archive
  transfers: Transfers
  places: GroupPlaces
}

function deletionOperations({ project, lifecycle }: LifecycleOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.delete',
      contract: 'x.projects_delete',
      method: 'DELETE',
      path: '/projects/:id',
      tag,
      summary: 'Delete a project',
      description:
        'Marks the project for deletion; it is removed when the days that the instance grants are over. ' +
        'A marked one can be removed at once.',
      subject: project,
      allow: 'own',
      scopes: writing,
      params: {
        permanently_remove: t.boolean({ description: 'Removes a project that is marked already' }),
        full_path: t.string({ description: 'With permanently_remove: the current or the original full path' }),
      },
      result: [202, forms.accepted],
      async run({ subject, params, request }) {
        await lifecycle.remove(subject, params, (updatedAt) => requireUnmodified(request, updatedAt))
        return { message: '202 Accepted' }
      },
    }),
    operation({
      id: 'projects.restore',
      contract: 'x.projects_restore',
      method: 'POST',
      path: '/projects/:id/restore',
      tag,
      summary: 'Undo the scheduled deletion of a project',
      subject: project,
      allow: 'own',
      scopes: writing,
      result: [201, ProjectObject],
      run: ({ subject, actor }) => lifecycle.restore(subject, actor),
    }),
  ]
}

function archiveOperations({ project, archive }: LifecycleOperationsNeeds): Operation[] {
  return [
    operation({
      id: 'projects.archive',
      contract: 'x.projects_archive',
      method: 'POST',
      path: '/projects/:id/archive',
      tag,
      summary: 'Archive a project',
      subject: project,
      allow: 'own',
      scopes: writing,
      result: [201, ProjectObject],
      run: ({ subject, actor }) => archive.setArchived(subject, true, actor),
    }),
    operation({
      id: 'projects.unarchive',
      contract: 'x.projects_unarchive',
      method: 'POST',
      path: '/projects/:id/unarchive',
      tag,
      summary: 'Take a project out of the archive',
      subject: project,
      allow: 'own',
      scopes: writing,
      result: [201, ProjectObject],
      run: ({ subject, actor }) => archive.setArchived(subject, false, actor),
    }),
  ]
}

function transferOperations(needs: LifecycleOperationsNeeds): Operation[] {
  const { project, group, groupAnswer, transfers, places } = needs
  return [
    operation({
      id: 'projects.transfer',
      contract: 'x.projects_transfer',
      method: 'PUT',
      path: '/projects/:id/transfer',
      tag,
      summary: 'Move a project to another namespace',
      description: 'Old paths lead on to the project, and it becomes no more visible than its new group.',
      subject: project,
      allow: 'transfer',
      scopes: writing,
      params: { namespace: t.required(t.string({ description: 'Id or full path' })) },
      result: [200, ProjectObject],
      run: ({ subject, actor, params }) => transfers.transfer(subject, params.namespace, actor),
    }),
    operation({
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
      run: ({ subject, actor, params, page }) => places.transferLocations(subject, params.search, actor, page),
    }),
    operation({
      id: 'groups.take_project',
      contract: 'x.groups_take_project',
      method: 'POST',
      path: '/groups/:id/projects/:project_id',
      tag: 'Groups',
      summary: 'Move a project into a group',
      subject: group,
      allow: 'administer',
      scopes: writing,
      result: [201, groupAnswer.schema],
      async run({ subject, actor, request }) {
        await transfers.take(subject, request.path.project_id ?? '', actor)
        return groupAnswer.present(actor, subject)
      },
    }),
  ]
}

/** What becomes of a project as a whole: deleted, restored, archived, moved (contract 21). */
export function lifecycleOperations(needs: LifecycleOperationsNeeds): Operation[] {
  return [...deletionOperations(needs), ...archiveOperations(needs), ...transferOperations(needs)]
}
