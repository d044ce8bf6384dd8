import { nothing, pageOf, reading, writing } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { atProjectAndGroup, project } from '../projects/index.ts'
import { createMilestone, deleteMilestone, getMilestone, listMilestones, updateMilestone } from './milestones.ts'
import { groupMilestoneFilter, milestoneChanges, milestoneId, newMilestone, projectMilestoneFilter } from './params.ts'
import { Milestone } from './present.ts'
import { promoteMilestone } from './promotion.ts'

const tag = 'Milestones'

/** Milestones of projects and groups (contract 17, x.milestone_list to x.milestone_delete, and their twins). */
export const milestoneOperations = atProjectAndGroup(({ kind, path, subject }) => {
  const contract = (name: string) => (kind === 'project' ? `x.milestone_${name}` : `x.group_milestone_${name}`)
  const read = { method: 'GET', tag, subject, allow: 'read_milestones', scopes: reading } as const
  const write = { tag, subject, allow: 'admin_milestones', scopes: writing } as const
  return [
    operation({
      ...read,
      id: `${kind}_milestones.list`,
      contract: contract('list'),
      path: `${path}/milestones`,
      summary: `List the milestones of a ${kind}`,
      params: kind === 'project' ? projectMilestoneFilter : groupMilestoneFilter,
      result: [200, pageOf(Milestone)],
      run: ({ platform, subject, actor, params, page }) => listMilestones(platform, subject, actor, params, page),
    }),
    operation({
      ...read,
      id: `${kind}_milestones.get`,
      contract: contract('get'),
      path: `${path}/milestones/:milestone_id`,
      summary: `Get a milestone of a ${kind}`,
      params: milestoneId,
      result: [200, Milestone],
      run: ({ platform, subject, params }) => getMilestone(platform, subject, params.milestone_id),
    }),
    operation({
      ...write,
      id: `${kind}_milestones.create`,
      contract: contract('create'),
      method: 'POST',
      path: `${path}/milestones`,
      summary: `Create a milestone of a ${kind}`,
      params: newMilestone,
      result: [201, Milestone],
      run: ({ platform, subject, params }) => createMilestone(platform, subject, params),
    }),
    operation({
      ...write,
      id: `${kind}_milestones.update`,
      contract: contract('update'),
      method: 'PUT',
      path: `${path}/milestones/:milestone_id`,
      summary: `Change, close or activate a milestone of a ${kind}`,
      params: { ...milestoneId, ...milestoneChanges },
      atLeastOne: ['title', 'description', 'start_date', 'due_date', 'state_event'],
      result: [200, Milestone],
      run: ({ platform, subject, params: { milestone_id, ...changes } }) =>
        updateMilestone(platform, subject, milestone_id, changes),
    }),
    operation({
      ...write,
      id: `${kind}_milestones.delete`,
      contract: contract('delete'),
      method: 'DELETE',
      path: `${path}/milestones/:milestone_id`,
      summary: `Delete a milestone of a ${kind}`,
      params: milestoneId,
      result: [204, nothing],
      run: ({ platform, subject, params, unmodified }) =>
        deleteMilestone(platform, subject, params.milestone_id, unmodified),
    }),
  ]
})

export const projectMilestonesPromote = operation({
  id: 'project_milestones.promote',
  contract: 'x.milestone_promote',
  method: 'POST',
  path: '/projects/:id/milestones/:milestone_id/promote',
  tag,
  summary: 'Turn a milestone of a project into one of its group',
  subject: project,
  allow: 'admin_milestones',
  scopes: writing,
  params: milestoneId,
  result: [200, Milestone],
  run: ({ platform, subject, actor, params }) => promoteMilestone(platform, subject, actor, params.milestone_id),
})
