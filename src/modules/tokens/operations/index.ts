import type { Operation } from '../../../api/index.ts'
import type { Clock } from '../../../infra/clock/index.ts'
import type { Database } from '../../../infra/database/index.ts'
import type { Group, GroupSubject } from '../../groups/index.ts'
import type { Project, ProjectSubject } from '../../projects/index.ts'
import { createDeployTokens } from '../deploy.ts'
import { createImpersonationTokens } from '../impersonation.ts'
import type { TokenRules } from '../issuing.ts'
import { createPersonalTokens } from '../personal.ts'
import { createResourceTokens } from '../resource.ts'
import { allDeployTokensOperation, deployTokenOperations } from './deploy.ts'
import { impersonationTokenOperations } from './impersonation.ts'
import { personalTokenOperations } from './personal.ts'
import { resourceTokenOperations } from './resource.ts'

export type TokenOperationsNeeds = {
  database: Database
  clock: Clock
  externalUrl: string
  rules(): Promise<TokenRules>
  project: ProjectSubject
  group: GroupSubject
}

/** Every operation on tokens (contract 20, table "tokens"). */
export function tokenOperations({ project, group, ...needs }: TokenOperationsNeeds): Operation[] {
  const resource = createResourceTokens(needs)
  const deploy = createDeployTokens(needs)
  const ofProjects = {
    noun: 'project' as const,
    subject: project,
    placeOf: ({ id, role }: Project) => ({ kind: 'project' as const, id, level: role.level }),
  }
  const ofGroups = {
    noun: 'group' as const,
    subject: group,
    placeOf: ({ id, level }: Group) => ({ kind: 'group' as const, id, level }),
  }
  return [
    ...impersonationTokenOperations(createImpersonationTokens(needs)),
    ...personalTokenOperations(createPersonalTokens(needs)),
    ...resourceTokenOperations(resource, ofProjects),
    ...resourceTokenOperations(resource, ofGroups),
    allDeployTokensOperation(deploy),
    ...deployTokenOperations(deploy, ofProjects),
    ...deployTokenOperations(deploy, ofGroups),
  ]
}
