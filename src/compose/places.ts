import type { Operation } from '../api/index.ts'
import { leaveProject } from '../modules/deploy-keys/index.ts'
import { GroupDetail, groupDetailOf } from '../modules/groups/index.ts'
import {
  createProjectLifecycleModule,
  createProjectModule,
  type ProjectModuleNeeds,
  projectsOfGroup,
} from '../modules/projects/index.ts'
import { prepareInitialProtection, removeGroupEntries } from '../modules/protected-branches/index.ts'
import { inheritPushRule } from '../modules/push-rules/index.ts'
import { createRemovedFiles } from '../modules/repositories/index.ts'
import { retireBots as retireBotsOf } from '../modules/tokens/index.ts'
import { wikiSizes } from '../modules/wikis/index.ts'
import type { Ports } from '../platform/index.ts'
import type { Ground } from './ground.ts'
import type { Refs } from './refs.ts'

type Bots = Parameters<typeof retireBotsOf>

/** For modules of the old shape. */
const retireBots =
  ({ clock }: Ground) =>
  (tx: Bots[1], resource: Bots[2], userIds: Bots[3]) =>
    retireBotsOf({ clock }, tx, resource, userIds)

type Sizes = NonNullable<ProjectModuleNeeds['sizes']>

/** What several parts of the platform say projects take up. */
function together(parts: readonly Sizes[]): Sizes {
  return async (projectIds) => {
    const found = await Promise.all(parts.map((sizes) => sizes(projectIds)))
    return new Map(projectIds.map((id) => [id, Object.assign({}, ...found.map((sizes) => sizes.get(id)))]))
  }
}

/** Projects and groups; each of the two removes what is in the other. */
function composeProjectsAndGroups(ground: Ground, refs: Refs) {
  const { config, clock, database } = ground
  const { lfs, mirrors, care } = refs
  const protectDefaultBranch = (projectId: number) => prepareInitialProtection(ground, projectId)
  const projects = createProjectModule({
    ...{ ...ground, protectDefaultBranch },
    registryHost: config.registryUrl && new URL(config.registryUrl).host,
    pullFrom: mirrors.pullFrom,
    sizes: together([wikiSizes({ database }), lfs.sizes]),
    onCreated: (tx, { id }) => inheritPushRule(ground, tx, { projectId: id }),
  })
  const removedFiles = createRemovedFiles(ground)
  const lifecycle = createProjectLifecycleModule({
    ...{ ...ground, care, removedFiles, retireBots: retireBots(ground), protectDefaultBranch },
    ...{ presenter: projects.presenter, lists: projects.lists },
    groupAnswer: { schema: GroupDetail, present: (actor, group) => groupDetailOf(ground, actor, group) },
    endings: [leaveProject],
    async onCreated(tx, made) {
      await inheritPushRule(ground, tx, { projectId: made.id })
      await lfs.inherit(tx, made)
    },
    unshared: removeGroupEntries,
  })
  const ofGroup = projectsOfGroup({ lists: projects.lists, database, clock })
  const answers: Pick<Ports, 'groups.projects' | 'groups.remove_project' | 'users.remove_projects'> = {
    'groups.projects': (_platform, group, actor) => ofGroup.of(group, actor),
    'groups.remove_project': (_platform, projectId) => lifecycle.removeProject(projectId),
    'users.remove_projects': (_platform, userId) => lifecycle.removeProjectsOf(userId),
  }
  Object.assign(ground.ports, answers)
  return { projects, lifecycle }
}

/** People, and the places where they work: users with their keys and tokens, groups, projects, members. */
export function composePlaces(ground: Ground, refs: Refs) {
  const { projects, lifecycle } = composeProjectsAndGroups(ground, refs)
  const operations: Operation[] = [...projects.operations, ...lifecycle.operations]
  return { operations, createByPush: projects.creation.createByPush }
}
