import type { Module } from '../../platform/index.ts'
import * as groupOperations from './operations/group.ts'
import * as instanceOperations from './operations/instance.ts'
import * as tokenOperations from './operations/tokens.ts'
import { removeAccountJob } from './orphans.ts'

export { retireAccountsOfGroup } from './orphans.ts'

/** Users for programs, owned by a top-level group or by the instance (contract 12). */
export const serviceAccounts: Module = {
  name: 'service-accounts',
  tags: { 'Service accounts': 'Users for programs, which act through personal access tokens.' },
  operations: [groupOperations, tokenOperations, instanceOperations].flatMap((room) => Object.values(room)),
  jobs: [removeAccountJob],
}
