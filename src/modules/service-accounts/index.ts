import type { Module } from '../../platform/index.ts'
import { accountOperations } from './operations/accounts.ts'
import * as instanceOperations from './operations/instance.ts'
import { tokenOperations } from './operations/tokens.ts'
import { removeAccountJob } from './orphans.ts'

export { retireAccountsOfGroup, retireAccountsOfProject } from './orphans.ts'

/** Users for programs, owned by a top-level group, a project or the instance (contract 12, 26.9). */
export const serviceAccounts: Module = {
  name: 'service-accounts',
  tags: { 'Service accounts': 'Users for programs, which act through personal access tokens.' },
  operations: [...accountOperations, ...tokenOperations, ...Object.values(instanceOperations)],
  jobs: [removeAccountJob],
}
