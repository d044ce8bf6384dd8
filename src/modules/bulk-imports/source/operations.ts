import type { Operation } from '../../../api/index.ts'
import { groupsGet, groupsSubgroups } from '../../groups/index.ts'
import { memberOperations } from '../../members/index.ts'
import { metadataVersion } from '../../metadata/index.ts'
import { projectsGet, projectsOfGroup } from '../../projects/index.ts'
import { relationExportTwins } from '../../relation-exports/index.ts'
import { personalTokensSelf } from '../../tokens/index.ts'
import { usersGet } from '../../users/index.ts'

function membersOf(kind: 'group' | 'project'): Operation {
  const found = memberOperations.find(({ id }) => id === `${kind}_members.list`)
  if (!found) throw new Error(`there is no list of the members of a ${kind}`)
  return found
}

const { group, project } = relationExportTwins

/** The operations that are performed at the source (contract 25, 9). */
export const atSource = {
  version: metadataVersion,
  token: personalTokensSelf,
  user: usersGet,
  group: { get: groupsGet as Operation, members: membersOf('group'), ...group },
  project: { get: projectsGet as Operation, members: membersOf('project'), ...project },
  subgroups: groupsSubgroups,
  projects: projectsOfGroup,
} as const

export const sourceOperations: readonly Operation[] = [
  ...[atSource.version, atSource.token, atSource.user, atSource.subgroups, atSource.projects],
  ...[atSource.group, atSource.project].flatMap((kind) => Object.values(kind)),
]
